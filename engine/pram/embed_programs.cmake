# Writes OUTPUT: a line {"name", R"(text)"}, for each of PROGRAMS.
set(result "")
foreach(program ${PROGRAMS})
  get_filename_component(name ${program} NAME_WE)
  file(READ ${program} text)
  string(APPEND result "{\"${name}\", R\"pram(${text})pram\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${result}")
