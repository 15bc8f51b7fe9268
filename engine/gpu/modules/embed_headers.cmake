# Writes OUTPUT: a line {"name", R"(text)"}, for each of HEADERS, named as an include from ROOT would.
set(result "")
foreach(header ${HEADERS})
  file(RELATIVE_PATH name ${ROOT} ${header})
  file(READ ${header} text)
  string(APPEND result "{\"${name}\", R\"header(${text})header\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${result}")
