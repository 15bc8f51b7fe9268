# Writes OUTPUT: a line {"name", R"(text)"}, for each of FILES.
set(result "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND result "{\"${name}\", R\"pram(${text})pram\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${result}")
