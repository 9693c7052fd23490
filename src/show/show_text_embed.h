/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_text_embed.h - style and program of pictures, made from the files of
 * those names (tools/embed.py).
 */
#ifndef SHOW_SHOW_TEXT_EMBED_H
#define SHOW_SHOW_TEXT_EMBED_H

#include <stddef.h>

extern const unsigned char show_flame_css[], show_flame_js[];
extern const size_t show_flame_css_len, show_flame_js_len;
extern const unsigned char show_report_css[], show_report_js[];
extern const size_t show_report_css_len, show_report_js_len;

#endif
