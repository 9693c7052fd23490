/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_opt.c - options: parsing of values by kind, and when each may be set.
 * The rows are in opt.def; the kinds of values are in the guide's chapter
 * "Options and Tunables".
 */
#include "lib/dt_impl.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/near.h"

enum opt_kind { KIND_FLAG, KIND_SIZE, KIND_RATE, KIND_NUM, KIND_STR,
		KIND_POLICY, KIND_RESIZE, KIND_CFLAG, KIND_NOCFLAG, KIND_CPPARG,
		KIND_LIBDIR, KIND_ENGINE, KIND_EVALTIME, KIND_OFORMAT,
		KIND_SETENV, KIND_UNSETENV, KIND_VERSION, KIND_LOCKMEM,
		KIND_LATE, KIND_ENCODING, KIND_ERRFMT, KIND_FOLLOW,
		KIND_COLOR };
enum opt_class { CLASS_RUN, CLASS_DYN, CLASS_COMP, CLASS_CMD, CLASS_NONE };

struct opt_row {
	const char *name;
	enum opt_kind kind;
	enum opt_class class;
	int64_t def;
	unsigned arg;
	const char *what;
};

static const struct opt_row rows[] = {
#define OPT(name, kind, class, def, arg, what) \
	[DT_OPT_##name] = { #name, KIND_##kind, CLASS_##class, def, arg, what },
#include "lib/opt.def"
#undef OPT
};

void
dt_opt_init(dtrace_hdl_t *dtp)
{
	for (size_t i = 0; i < DT_NOPT; i++)
		dtp->opt[i] = rows[i].def;
}

int
dt_opt_environ(dtrace_hdl_t *dtp)
{
	char name[64] = "DTRACE_OPT_";
	const size_t at = strlen(name);

	for (size_t i = 0; i < DT_NOPT; i++) {
		size_t n = 0;
		for (; rows[i].name[n] != '\0'; n++)
			name[at + n] = (char)toupper(
				(unsigned char)rows[i].name[n]);
		name[at + n] = '\0';
		const char *val = secure_getenv(name);
		/* The name that it has everywhere. */
		if (i == DT_OPT_debug && val == NULL)
			val = secure_getenv("DTRACE_DEBUG");
		if (val != NULL &&
		    dt_opt_set(dtp, rows[i].name, *val != '\0' ? val : NULL,
			       false) != 0)
			return -1;
	}
	return 0;
}

static const struct opt_row *
opt_find(const char *name)
{
	for (size_t i = 0; i < DT_NOPT; i++) {
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	}
	return NULL;
}

/* One of a list of words; -1 if none. */
static int
opt_word(const char *val, const char *const *words)
{
	for (int i = 0; words[i] != NULL; i++) {
		if (strcasecmp(val, words[i]) == 0)
			return i;
	}
	return -1;
}

static bool
opt_flag(const char *val, int64_t *out)
{
	static const char *const on[] = { "yes", "enable", "enabled", "true",
					  "on", "set", "1", NULL };
	static const char *const off[] = { "no", "disable", "disabled", "false",
					   "off", "unset", "0", "", NULL };

	if (val == NULL || opt_word(val, on) >= 0) {
		*out = 1;
		return true;
	}
	if (opt_word(val, off) >= 0) {
		*out = DTRACEOPT_UNSET;
		return true;
	}
	return false;
}

/* A number with what follows it in *end; false: not a number. */
static bool
opt_number(const char *val, int64_t *out, const char **end)
{
	char *e;

	if (val == NULL || !isdigit((unsigned char)*val))
		return false;
	errno = 0;
	long long v = strtoll(val, &e, 0);
	if (errno != 0 || e == val || v < 0)
		return false;
	*out = v;
	*end = e;
	return true;
}

static bool
opt_size(const char *val, int64_t *out)
{
	const char *end;
	int shift = 0;

	if (!opt_number(val, out, &end))
		return false;
	switch (tolower((unsigned char)*end)) {
	case 't':
		shift += 10; /* fallthrough */
		__attribute__((fallthrough));
	case 'g':
		shift += 10;
		__attribute__((fallthrough));
	case 'm':
		shift += 10;
		__attribute__((fallthrough));
	case 'k':
		shift += 10;
		end++;
		break;
	case '\0':
		break;
	default:
		return false;
	}
	if (*end != '\0' || *out > (INT64_MAX >> shift))
		return false;
	*out <<= shift;
	return true;
}

static bool
opt_rate(const char *val, int64_t *out)
{
	static const struct {
		const char *suffix;
		int64_t ns;
	} units[] = {
		{ "", 1 },		 { "ns", 1 },
		{ "nsec", 1 },		 { "us", 1000 },
		{ "usec", 1000 },	 { "ms", 1000000 },
		{ "msec", 1000000 },	 { "s", 1000000000 },
		{ "sec", 1000000000 },	 { "m", 60000000000 },
		{ "min", 60000000000 },	 { "h", 3600000000000 },
		{ "hour", 3600000000000 }, { "d", 86400000000000 },
		{ "day", 86400000000000 },
	};
	const char *end;

	if (!opt_number(val, out, &end))
		return false;
	if (strcasecmp(end, "hz") == 0) {
		if (*out == 0 || *out > 1000000000)
			return false;
		*out = 1000000000 / *out;
		return true;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcasecmp(end, units[i].suffix) == 0)
			return !__builtin_mul_overflow(*out, units[i].ns, out);
	}
	return false;
}

/* Words of a value, each an argument of the preprocessor. */
static bool
opt_cppwords(dtrace_hdl_t *dtp, const char *val)
{
	size_t n;

	for (; val != NULL && *val != '\0'; val += n) {
		val += strspn(val, " \t");
		n = strcspn(val, " \t");
		char *s = n > 0 ? strndup(val, n) : NULL;
		if (n > 0 && (s == NULL || !vec_push(&dtp->cppargs, s))) {
			free(s);
			return false;
		}
	}
	return val != NULL;
}

static bool
opt_cpparg(dtrace_hdl_t *dtp, unsigned letter, const char *val)
{
	char *s;

	if (letter == 0)
		return opt_cppwords(dtp, val);
	if (letter == 'H') {
		s = strdup("-H");
	} else if (letter == 'X') {
		/* Conformance: C99, or the preprocessor before the standard. */
		if (val == NULL || strlen(val) != 1 ||
		    strchr("acst", val[0]) == NULL)
			return false;
		s = strdup(val[0] == 's' ? "-traditional-cpp" : "-std=c99");
	} else {
		if (val == NULL || *val == '\0' ||
		    asprintf(&s, "-%c%s", (int)letter, val) < 0)
			return false;
	}
	if (s != NULL && vec_push(&dtp->cppargs, s))
		return true;
	free(s);
	return false;
}

/* Formats that other systems write, through a library that is not here. */
static bool
opt_markup(const char *val)
{
	static const char *const words[] = { "xml", "html", NULL };

	return val != NULL && opt_word(val, words) >= 0;
}

/* Kinds whose value is one of some words: those, and NULL. */
#define WORDS(...) (const char *const[]){ __VA_ARGS__, NULL }
static const char *const *const kind_words[] = {
	[KIND_POLICY] = WORDS("switch", "fill", "ring"),
	[KIND_RESIZE] = WORDS("auto", "manual"),
	[KIND_ENGINE] = WORDS("auto", "kernel", "process", "target"),
	[KIND_FOLLOW] = WORDS("none", "fork", "all"),
	[KIND_EVALTIME] = proc_evaltimes,
	[KIND_OFORMAT] = WORDS("text", "json", "jsonl"),
	[KIND_ENCODING] = WORDS("ascii", "utf8"),
	[KIND_ERRFMT] = WORDS("auto", "classic", "full"),
	[KIND_COLOR] = WORDS("never", "auto", "always"),
	[KIND_LATE] = WORDS("static", "dynamic"),
};

static bool
opt_value(dtrace_hdl_t *dtp, const struct opt_row *row, const char *val,
	  int64_t *out)
{
	const char *end;
	uint32_t version;

	switch (row->kind) {
	case KIND_FLAG:
	case KIND_CFLAG:
	case KIND_NOCFLAG:
		return opt_flag(val, out);
	case KIND_SIZE:
		return opt_size(val, out);
	case KIND_RATE:
		return opt_rate(val, out);
	case KIND_NUM:
		return opt_number(val, out, &end) && *end == '\0' &&
		       *out <= INT_MAX;
	case KIND_STR:
		*out = 1;
		return val != NULL;
	case KIND_VERSION:
		if (val == NULL || !lang_version(val, &version))
			return false;
		*out = version;
		return true;
	case KIND_LOCKMEM:
		*out = INT64_MAX;
		return val != NULL && (strcasecmp(val, "unlimited") == 0 ||
				       opt_size(val, out));
	case KIND_SETENV:
	case KIND_UNSETENV:
		*out = 1;
		return dt_process_env(dtp, val, row->kind == KIND_SETENV);
	case KIND_LIBDIR:
		*out = 1;
		return val != NULL && *val != '\0' && dt_dlib_add_dir(dtp, val);
	case KIND_CPPARG:
		*out = 1;
		return opt_cpparg(dtp, row->arg, val);
	default: /* words */
		*out = val != NULL ? opt_word(val, kind_words[row->kind]) : -1;
		return *out >= 0;
	}
}

/* What a value may not be although it parses; NULL: it is fine. */
static const char *
opt_limit(enum dt_opt o, int64_t v)
{
	switch (o) {
	case DT_OPT_strsize:
		return v < 1 || v > (int64_t)RT_STR_MAX ? "1 to 65536" : NULL;
	case DT_OPT_stackframes:
	case DT_OPT_ustackframes:
	case DT_OPT_jstackframes:
	case DT_OPT_maxframes:
		return v < 1 || v > DIF_FRAMES_MAX ?
			       "1 to 127 (Linux walks no further)" : NULL;
	case DT_OPT_printsize:
		return v > UINT32_MAX ? "less than 4g" : NULL;
	case DT_OPT_stackindent:
		return v > 1024 ? "0 to 1024" : NULL;
	case DT_OPT_nspec:
		return v > RT_NSPEC_MAX ? "0 to 64" : NULL;
	case DT_OPT_scratchsize:
		return v > (int64_t)RT_SCRATCH ?
			       "at most 256k" : NULL;
	case DT_OPT_iregs:
	case DT_OPT_tregs:
		return v < 1 || v > 8 ? "1 to 8" : NULL;
	case DT_OPT_disasm:
	case DT_OPT_tree:
		return v > 3 ? "0 to 3" : NULL;
	case DT_OPT_late:
		return v != 0 ? "static: translators are applied when a "
				"program is compiled" : NULL;
	case DT_OPT_version:
		return v > DT_D_VERSION ? "at most " DT_D_VERSION_TEXT : NULL;
	default:
		return NULL;
	}
}

#define EXPECTS_MAX 128

/* Words as people say them: "text, json or jsonl". */
static const char *
opt_words(const char *const *words, char *buf)
{
	size_t n = 0;

	for (size_t i = 0; words[i] != NULL && n < EXPECTS_MAX; i++)
		n += (size_t)snprintf(buf + n, EXPECTS_MAX - n, "%s%s",
				      i == 0 ? "" :
				      words[i + 1] != NULL ? ", " : " or ",
				      words[i]);
	return buf;
}

/* What a value that is none should have been; it may be written into buf. */
static const char *
opt_expects(const struct opt_row *row, char *buf)
{
	static const char *const what[] = {
		[KIND_FLAG] = "on or off",
		[KIND_SIZE] = "a size, such as 512 or 4m",
		[KIND_RATE] = "a rate or time, such as 10hz or 100ms",
		[KIND_NUM] = "a number",
		[KIND_STR] = "a text",
		[KIND_CFLAG] = "on or off",
		[KIND_NOCFLAG] = "on or off",
		[KIND_LIBDIR] = "a directory",
		[KIND_SETENV] = "name=value",
		[KIND_UNSETENV] = "a name",
		[KIND_VERSION] = "major.minor",
		[KIND_LOCKMEM] = "a size, or unlimited",
		[KIND_LATE] = "static",
	};

	if (row->kind == KIND_CPPARG)
		return row->arg == 'X' ?
			       "a (ISO C with extensions), c (strict ISO C), "
			       "s (K&R C) or t (transitional)" :
			       "a text";
	return row->kind < sizeof(what) / sizeof(*what) &&
			       what[row->kind] != NULL ?
		       what[row->kind] :
		       opt_words(kind_words[row->kind], buf);
}

static int
opt_unknown(dtrace_hdl_t *dtp, const char *name)
{
	char buf[NEAR_HINT_MAX];
	struct near n;

	near_init(&n, name);
	for (size_t i = 0; i < DT_NOPT; i++)
		near_try(&n, rows[i].name);
	return dt_set_err(dtp, EDT_BADOPTNAME, "Invalid option name%s",
			  n.best != NULL ? near_hint(&n, buf)
					 : " (dtrace(1), TRACING OPTIONS, "
					   "has them)");
}

static void
opt_cflag(dtrace_hdl_t *dtp, const struct opt_row *row, bool on)
{
	if (row->kind == KIND_NOCFLAG)
		on = !on;
	if (on)
		dtp->cflags |= row->arg;
	else
		dtp->cflags &= ~row->arg;
	/* A pragma is about the program that is being compiled. */
	if (row->arg == DTRACE_C_ZDEFS)
		dtp->zdefs = on;
}

int
dt_opt_set(dtrace_hdl_t *dtp, const char *name, const char *val,
	   bool from_program)
{
	const struct opt_row *row = opt_find(name);
	char expects[EXPECTS_MAX];
	int64_t v;

	if (row == NULL)
		return opt_unknown(dtp, name);
	enum dt_opt o = (enum dt_opt)(row - rows);
	if (row->class == CLASS_NONE)
		return dt_set_err(dtp, EDT_UNSUP,
				  "Option has no meaning here: %s", row->what);
	if (from_program && row->class == CLASS_CMD)
		return dt_set_err(
			dtp, EDT_BADOPTCTX,
			"Option cannot be used from within a D program");
	if (dtp->active && row->class != CLASS_DYN)
		return dt_set_err(dtp, EDT_ACTIVE,
				  "Operation illegal when tracing is active");
	if (row->kind == KIND_OFORMAT && opt_markup(val))
		return dt_set_err(dtp, EDT_UNSUP,
				  "%s is not written: json (one document) and "
				  "jsonl (an object a line) are", val);
	if (dtp->dlib.read && (o == DT_OPT_libdir || o == DT_OPT_syslibdir))
		return dt_set_err(dtp, EDT_BADOPTCTX,
				  "D libraries have been loaded: the option is "
				  "for the command line");
	errno = 0;
	bool parses = opt_value(dtp, row, val, &v);
	if (!parses && errno == ENOMEM)
		return dt_nomem(dtp);
	const char *limit = parses ? opt_limit(o, v) :
				     opt_expects(row, expects);
	if (limit != NULL)
		return dt_set_err(
			dtp, EDT_BADOPTVAL,
			"Invalid value for specified option: must be %s",
			limit);
	dtp->follow_given |= o == DT_OPT_follow;
	if (row->kind == KIND_CFLAG || row->kind == KIND_NOCFLAG)
		opt_cflag(dtp, row, v == 1);
	if (row->kind == KIND_STR) {
		if (dt_show_open(dtp, o, val) != 0)
			return -1;
		dtp->optstr[o] = arena_strdup(dtp->arena, val);
		if (dtp->optstr[o] == NULL)
			return dt_nomem(dtp);
	}
	dtp->opt[o] = v;
	if ((o == DT_OPT_evaltime || o == DT_OPT_program) &&
	    dt_procs_advance(dtp) != 0)
		return -1;
	if (o == DT_OPT_core)
		dt_limit_core(v == 1);
	else if (o == DT_OPT_iregs)
		dtp->limits.iregs = (uint32_t)v;
	else if (o == DT_OPT_tregs)
		dtp->limits.tregs = (uint32_t)v;
	return 0;
}

int
dtrace_setopt(dtrace_hdl_t *dtp, const char *opt, const char *val)
{
	return dt_opt_set(dtp, opt, val, false);
}

int
dtrace_getopt(dtrace_hdl_t *dtp, const char *opt, int64_t *val)
{
	const struct opt_row *row = opt_find(opt);

	if (row == NULL)
		return dt_set_err(dtp, EDT_BADOPTNAME, "Invalid option name");
	*val = dtp->opt[row - rows];
	return 0;
}
