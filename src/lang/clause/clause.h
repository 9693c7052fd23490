/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * clause.h - the door of the layer that compiles clauses: probe descriptions,
 * predicates, actions, aggregations.
 */
#ifndef LANG_CLAUSE_CLAUSE_H
#define LANG_CLAUSE_CLAUSE_H

#include "lang/tree/compile.h"

/* Append to cx->clauses what it means for each of its descriptions. */
void clause_compile(struct compile *cx, const struct clause_node *cn);

#endif
