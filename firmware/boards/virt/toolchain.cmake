# SPDX-License-Identifier: MIT
set(TG_BOARD virt)
set(TG_CPU cortex-a15)
include(${CMAKE_CURRENT_LIST_DIR}/../../toolchain.cmake)
