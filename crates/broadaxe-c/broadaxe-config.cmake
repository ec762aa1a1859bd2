# find_package(broadaxe) defines broadaxe::broadaxe, the shared library, and broadaxe::static, where it is installed.
get_filename_component(_broadaxe_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(_broadaxe_names
    "${CMAKE_SHARED_LIBRARY_PREFIX}broadaxe_c${CMAKE_SHARED_LIBRARY_SUFFIX}"
    "${CMAKE_STATIC_LIBRARY_PREFIX}broadaxe_c${CMAKE_STATIC_LIBRARY_SUFFIX}")

if(NOT TARGET broadaxe::broadaxe)
  list(GET _broadaxe_names 0 _broadaxe_file)
  set(_broadaxe_file "${_broadaxe_prefix}/lib/${_broadaxe_file}")
  if(NOT EXISTS "${_broadaxe_file}")
    set(broadaxe_FOUND FALSE)
    set(broadaxe_NOT_FOUND_MESSAGE "${_broadaxe_file} does not exist")
    return()
  endif()
  add_library(broadaxe::broadaxe SHARED IMPORTED)
  set_target_properties(broadaxe::broadaxe PROPERTIES
    IMPORTED_LOCATION "${_broadaxe_file}"
    INTERFACE_INCLUDE_DIRECTORIES "${_broadaxe_prefix}/include")
  if(WIN32)
    set_target_properties(broadaxe::broadaxe PROPERTIES IMPORTED_IMPLIB "${_broadaxe_file}.lib")
  endif()

  list(GET _broadaxe_names 1 _broadaxe_file)
  set(_broadaxe_file "${_broadaxe_prefix}/lib/${_broadaxe_file}")
  if(EXISTS "${_broadaxe_file}")
    add_library(broadaxe::static STATIC IMPORTED)
    set_target_properties(broadaxe::static PROPERTIES
      IMPORTED_LOCATION "${_broadaxe_file}"
      INTERFACE_INCLUDE_DIRECTORIES "${_broadaxe_prefix}/include")
    if(UNIX)
      find_package(Threads REQUIRED)
      set_target_properties(broadaxe::static PROPERTIES INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m")
    endif()
  endif()
endif()
