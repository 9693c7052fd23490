/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * export_http.c - the server that scrapers ask.
 *
 * libmicrohttpd serves all connections in one thread of its own, with sockets
 * that do not block: one that reads slowly, or not at all, waits alone.  It is
 * forgotten when nothing has come or gone for some seconds, and there are
 * limits to how many there may be, also from one address.
 *
 * What is sent is made once for each snapshot and format.  The listening socket
 * is ours, so that a second server with new certificates can take it over.
 */
#include "export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define IDLE_SECONDS 10u
#define CONNECTIONS 64u
#define CONNECTIONS_OF_ONE 16u
#define FILE_MAX_BYTES (1 << 20)
#define TEXT_PLAIN "text/plain; charset=utf-8"
#define TEXT_METRICS "text/plain; version=0.0.4; charset=utf-8"
#define TEXT_OPENMETRICS \
	"application/openmetrics-text; version=1.0.0; charset=utf-8"

/* What MHD serves with; a reload makes another one. */
struct server {
	struct MHD_Daemon *daemon;
	struct export_stats *stats;
	char *cert, *key, *token; /* what is in the files, or NULL */
	/* Of MHD's thread: what has been made of the snapshot. */
	struct export_snap *snap;
	struct MHD_Response *made[2];
	/* What MHD says while it starts. */
	char said[160];
	atomic_bool starting; /* as long as that is what it says */
};

struct export_http {
	struct export_http_opts opts;
	struct export_stats *stats;
	int fd;
	char url[160];
	struct server *server;
};

/* ---- files -------------------------------------------------------------- */

/* A small file as a string for free(3); NULL: err says why not. */
static char *
secret_file(const char *file, char *err, size_t n)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	char *text = calloc(1, FILE_MAX_BYTES + 1);
	ssize_t got = -1;
	size_t len = 0;

	while (fd >= 0 && text != NULL && len < FILE_MAX_BYTES &&
	       (got = read(fd, text + len, FILE_MAX_BYTES - len)) > 0)
		len += (size_t)got;
	if (fd >= 0 && text != NULL && got == 0 && len > 0) {
		close(fd);
		return text;
	}
	snprintf(err, n, "%s: %s", file, fd < 0 || got < 0 ? strerror(errno) :
		 len == 0 ? "the file is empty" : "the file is too large");
	if (fd >= 0)
		close(fd);
	free(text);
	return NULL;
}

static int
read_token(struct server *s, const char *file, char *err, size_t n)
{
	s->token = secret_file(file, err, n);
	if (s->token == NULL)
		return -1;
	s->token[strcspn(s->token, "\r\n")] = '\0';
	if (*s->token != '\0')
		return 0;
	snprintf(err, n, "%s: the first line is empty", file);
	return -1;
}

/* ---- answers ------------------------------------------------------------ */

/* In a time that says nothing about where they differ. */
static bool
same_secret(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	unsigned diff = n != m;

	for (size_t i = 0; i < n; i++)
		diff |= (unsigned char)(a[i] ^ b[m == 0 ? 0 : i % m]);
	return diff == 0;
}

static bool
allowed(const struct server *s, struct MHD_Connection *c)
{
	const char *auth;

	if (s->token == NULL)
		return true;
	auth = MHD_lookup_connection_value(c, MHD_HEADER_KIND,
					   MHD_HTTP_HEADER_AUTHORIZATION);
	return auth != NULL && strncasecmp(auth, "Bearer ", 7) == 0 &&
	       same_secret(auth + 7, s->token);
}

/* Send a text that stands in the program. */
static enum MHD_Result
http_answer(struct MHD_Connection *c, unsigned status, const char *text,
       const char *header, const char *value)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(strlen(text),
		(void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result rv;

	if (r == NULL)
		return MHD_NO;
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, TEXT_PLAIN);
	if (header != NULL)
		MHD_add_response_header(r, header, value);
	rv = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return rv;
}

static void
forget_made(struct server *s)
{
	for (int i = 0; i < 2; i++)
		if (s->made[i] != NULL)
			MHD_destroy_response(s->made[i]);
	s->made[0] = s->made[1] = NULL;
	export_snap_put(s->snap);
	s->snap = NULL;
}

static struct MHD_Response *
make_text(const struct export_snap *snap, bool om)
{
	struct buf b = BUF_INIT;
	struct MHD_Response *r;

	export_text(&b, snap, om);
	if (b.failed) {
		buf_fini(&b);
		return NULL;
	}
	size_t n = b.n;
	r = MHD_create_response_from_buffer(n, buf_detach(&b),
					    MHD_RESPMEM_MUST_FREE);
	if (r != NULL)
		MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE,
					om ? TEXT_OPENMETRICS : TEXT_METRICS);
	return r;
}

static enum MHD_Result
answer_metrics(struct server *s, struct MHD_Connection *c)
{
	const char *accept = MHD_lookup_connection_value(c, MHD_HEADER_KIND,
		MHD_HTTP_HEADER_ACCEPT);
	bool om = accept != NULL &&
		  strstr(accept, "application/openmetrics-text") != NULL;
	struct export_snap *snap = export_take();

	if (snap == NULL)
		return http_answer(c, MHD_HTTP_SERVICE_UNAVAILABLE,
			      "Tracing has not begun yet.\n", NULL, NULL);
	if (snap == s->snap) {
		export_snap_put(snap);
	} else {
		forget_made(s);
		s->snap = snap;
	}
	if (s->made[om] == NULL)
		s->made[om] = make_text(s->snap, om);
	if (s->made[om] == NULL)
		return http_answer(c, MHD_HTTP_INTERNAL_SERVER_ERROR,
			      "There is no memory.\n", NULL, NULL);
	atomic_fetch_add(&s->stats->scrapes, 1);
	return MHD_queue_response(c, MHD_HTTP_OK, s->made[om]);
}

static enum MHD_Result
on_request(void *arg, struct MHD_Connection *c, const char *url,
	   const char *method, const char *version, const char *data,
	   size_t *ndata, void **state)
{
	static int seen;
	struct server *s = arg;

	(void)version, (void)data;
	if (*state == NULL) { /* only the headers are there */
		*state = &seen;
		return MHD_YES;
	}
	if (*ndata != 0) { /* a body that nobody wants */
		*ndata = 0;
		return MHD_YES;
	}
	if (!allowed(s, c))
		return http_answer(c, MHD_HTTP_UNAUTHORIZED, "A token is needed.\n",
			      MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return http_answer(c, MHD_HTTP_METHOD_NOT_ALLOWED,
			      "Only GET and HEAD are served.\n",
			      MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	if (strcmp(url, "/metrics") == 0)
		return answer_metrics(s, c);
	if (strcmp(url, "/") == 0)
		return http_answer(c, MHD_HTTP_OK, "dtrace-export: see /metrics\n",
			      NULL, NULL);
	return http_answer(c, MHD_HTTP_NOT_FOUND, "See /metrics.\n", NULL, NULL);
}

/* ---- starting ----------------------------------------------------------- */

/* What MHD says later is of single connections: no news for a journal. */
static void
on_log(void *arg, const char *fmt, va_list ap)
{
	struct server *s = arg;

	if (!s->starting)
		return;
	vsnprintf(s->said, sizeof(s->said), fmt, ap);
	s->said[strcspn(s->said, "\r\n")] = '\0';
}

static void
server_free(struct server *s)
{
	if (s == NULL)
		return;
	if (s->daemon != NULL) {
		/* Without this the socket would be shut down, for all who have
		   it. */
		MHD_socket fd = MHD_quiesce_daemon(s->daemon);

		MHD_stop_daemon(s->daemon);
		if (fd != MHD_INVALID_SOCKET)
			close(fd);
	}
	forget_made(s);
	free(s->cert);
	if (s->key != NULL)
		explicit_bzero(s->key, strlen(s->key));
	free(s->key);
	free(s->token);
	free(s);
}

static int
server_listen(struct server *s, const struct export_http *h, char *err,
	      size_t n)
{
	unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC |
			 MHD_USE_ERROR_LOG;
	int fd = fcntl(h->fd, F_DUPFD_CLOEXEC, 3);
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, s->cert },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, s->key },
		{ MHD_OPTION_END, 0, NULL } };

	if (s->cert != NULL)
		flags |= MHD_USE_TLS;
	else
		tls[0].option = MHD_OPTION_END;
	s->starting = true;
	if (fd >= 0)
		s->daemon = MHD_start_daemon(flags, 0, NULL, NULL, on_request,
			s, MHD_OPTION_EXTERNAL_LOGGER, on_log, s,
			MHD_OPTION_LISTEN_SOCKET, fd,
			MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS,
			MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
			MHD_OPTION_PER_IP_CONNECTION_LIMIT, CONNECTIONS_OF_ONE,
			MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
	s->starting = false;
	if (s->daemon != NULL)
		return 0;
	if (fd >= 0)
		close(fd);
	if (s->cert != NULL)
		snprintf(err, n, "the certificate %s and the key %s cannot be "
			 "used%s%s", h->opts.cert, h->opts.key,
			 *s->said != '\0' ? ": " : "", s->said);
	else
		snprintf(err, n, "cannot serve at %s: %s", h->opts.listen,
			 *s->said != '\0' ? s->said : strerror(errno));
	return -1;
}

static struct server *
server_new(const struct export_http *h, char *err, size_t n)
{
	const struct export_http_opts *o = &h->opts;
	struct server *s = calloc(1, sizeof(*s));

	if (s == NULL) {
		snprintf(err, n, "memory allocation failure");
		return NULL;
	}
	s->stats = h->stats;
	if ((o->cert != NULL &&
	     (s->cert = secret_file(o->cert, err, n)) == NULL) ||
	    (o->key != NULL &&
	     (s->key = secret_file(o->key, err, n)) == NULL) ||
	    (o->token != NULL && read_token(s, o->token, err, n) != 0) ||
	    server_listen(s, h, err, n) != 0) {
		server_free(s);
		return NULL;
	}
	return s;
}

/* ADDRESS:PORT to two strings; the first "" if there is none. */
static int
split_address(const char *text, char *host, size_t nhost, const char **port)
{
	const char *colon = strrchr(text, ':');
	size_t n = colon != NULL ? (size_t)(colon - text) : 0;

	*port = colon != NULL ? colon + 1 : text;
	if (n >= 2 && text[0] == '[' && text[n - 1] == ']') {
		text++;
		n -= 2;
	} else if (memchr(text, ':', n) != NULL) {
		return -1; /* an address of IPv6 without [] */
	}
	if (n >= nhost || **port == '\0' ||
	    (*port)[strspn(*port, "0123456789")] != '\0' ||
	    strtoul(*port, NULL, 10) > 65535)
		return -1;
	memcpy(host, text, n);
	host[n] = '\0';
	return 0;
}

static int
open_socket(const struct addrinfo *ai)
{
	int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC |
			SOCK_NONBLOCK, 0), on = 1, saved;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, ai->ai_addr, ai->ai_addrlen) == 0 && listen(fd, 64) == 0)
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

static void
name_socket(struct export_http *h)
{
	struct sockaddr_storage sa;
	socklen_t n = sizeof(sa);
	char host[64] = "?", port[16] = "?";

	if (getsockname(h->fd, (struct sockaddr *)&sa, &n) == 0)
		getnameinfo((struct sockaddr *)&sa, n, host, sizeof(host), port,
			    sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(h->url, sizeof(h->url), "%s://%s%s%s:%s/metrics",
		 h->opts.cert != NULL ? "https" : "http",
		 strchr(host, ':') != NULL ? "[" : "", host,
		 strchr(host, ':') != NULL ? "]" : "", port);
}

static int
open_listener(struct export_http *h, char *err, size_t n)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_PASSIVE }, *ai = NULL;
	char host[256];
	const char *port;
	int rv;

	if (split_address(h->opts.listen, host, sizeof(host), &port) != 0) {
		snprintf(err, n, "-l %s: ADDRESS:PORT, [ADDRESS]:PORT or PORT "
			 "is expected", h->opts.listen);
		return -1;
	}
	rv = getaddrinfo(*host != '\0' ? host : "127.0.0.1", port, &hints, &ai);
	if (rv != 0) {
		snprintf(err, n, "-l %s: %s", h->opts.listen, gai_strerror(rv));
		return -1;
	}
	h->fd = open_socket(ai);
	if (h->fd < 0)
		snprintf(err, n, "cannot listen at %s: %s", h->opts.listen,
			 strerror(errno));
	freeaddrinfo(ai);
	return h->fd < 0 ? -1 : 0;
}

struct export_http *
export_http_start(const struct export_http_opts *o, struct export_stats *st,
		  char *err, size_t n)
{
	struct export_http *h = calloc(1, sizeof(*h));

	if (h == NULL) {
		snprintf(err, n, "memory allocation failure");
		return NULL;
	}
	h->opts = *o;
	h->stats = st;
	h->fd = -1;
	if (open_listener(h, err, n) != 0 ||
	    (h->server = server_new(h, err, n)) == NULL) {
		export_http_stop(h);
		return NULL;
	}
	name_socket(h);
	return h;
}

int
export_http_reload(struct export_http *h, char *err, size_t n)
{
	struct server *s = server_new(h, err, n);

	if (s == NULL)
		return -1;
	server_free(h->server);
	h->server = s;
	return 0;
}

const char *
export_http_url(const struct export_http *h)
{
	return h->url;
}

void
export_http_stop(struct export_http *h)
{
	if (h == NULL)
		return;
	server_free(h->server);
	if (h->fd >= 0)
		close(h->fd);
	free(h);
}
