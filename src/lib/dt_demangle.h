/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* dt_demangle.h - names of functions as their source has them. */
#ifndef LIB_DT_DEMANGLE_H
#define LIB_DT_DEMANGLE_H

#include "base/buf.h"

/* Append the name that a linker's name of C++ or Rust stands for, without the
   type of its result; any other name as it is. */
void dt_demangle(const char *name, struct buf *out);
/* Append the type of C++ that a name of std::type_info stands for; any other
   text as it is. */
void dt_demangle_type(const char *name, size_t n, struct buf *out);

#endif
