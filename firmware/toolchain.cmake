# SPDX-License-Identifier: MIT
# Debian's bare-metal cross compiler; programs run on the emulated board. boards/virt/toolchain.cmake sets
# another board and includes this.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_ASM_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # nothing links before the board is there
if(NOT TG_BOARD)
    set(TG_BOARD zynq)
    set(TG_CPU cortex-a9)
endif()
# Thumb only in the C library. No floating point: the kernel saves no such registers. The directory of
# headers is for other tools that read the compile commands.
set(CMAKE_C_FLAGS_INIT "-mcpu=${TG_CPU} -marm -mfloat-abi=soft -g -idirafter /usr/include/newlib")
set(CMAKE_ASM_FLAGS_INIT "-mcpu=${TG_CPU} -marm -mfloat-abi=soft -g")
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/boards/${TG_BOARD}/run.sh)
