# SPDX-License-Identifier: MIT
# linked_app(NAME LIBRARY...) - all of an application but for the tables of a system file, in the
# OBJECT library NAME: `tidegate` generates those and links a program with link.sh TABLES PROGRAM, TABLES being
# the directory that `tidegate gen -o` wrote. parts.txt: what it links, a file a line; results are kept as long
# as these stay the same. NAME_parts builds all of it.
function(linked_app name)
    add_custom_target(${name}_parts DEPENDS ${name} board ${ARGN})
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    set(parts $<TARGET_OBJECTS:${name}>)
    if(path IN_LIST ARGN) # the board's objects are in it
        list(REMOVE_ITEM ARGN path)
        list(APPEND parts ${PATH_OBJECT})
    else()
        list(APPEND parts $<TARGET_OBJECTS:board>)
    endif()
    foreach(library ${ARGN})
        list(APPEND parts $<TARGET_FILE:${library}>)
    endforeach()
    file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/link.sh CONTENT "#!/bin/sh
# Made by CMake: link.sh TABLES PROGRAM - the program with the tables in a directory.
set -eu
exec ${CMAKE_C_COMPILER} ${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}} -std=c11 -I\"${PROJECT_SOURCE_DIR}/include\" \\
    \"$1/tidegate_config.c\" -o \"$2\" -nostartfiles \"-T$<JOIN:${BOARD_SCRIPTS},\" \"-T>\" -Wl,-z,noexecstack,--no-warn-rwx-segments \\
    -Wl,--undefined=tg_port_lock \\
    -Wl,--start-group \"$<JOIN:${parts},\" \">\" -Wl,--end-group
")
    file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/parts.txt CONTENT "${CMAKE_CURRENT_BINARY_DIR}/link.sh
$<JOIN:${BOARD_SCRIPTS},\n>
$<JOIN:${parts},\n>
")
endfunction()
