#include "docstream.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "process/file.h"
#include "tap.h"

static char path[] = "/tmp/test-docstream-XXXXXX";

/* The documents as "LINE JSON; ...", or the error behind the file's name. */
static const char *
read_back(const char *text)
{
	static struct buf out;
	struct docstream d;
	struct err err = ERR_INIT;
	FILE *f = fopen(path, "w");

	buf_reset(&out);
	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
		perror(path), exit(1);
	if (docstream_load(&d, path, &err) != 0) {
		buf_adds(&out, err.message + strlen(path));
		return buf_str(&out);
	}
	for (size_t i = 0; i < d.count; i++) {
		buf_addf(&out, "%s%d ", i > 0 ? "; " : "", d.items[i]->line);
		yaml_to_json(d.items[i], &out);
	}
	docstream_release(&d);
	return buf_str(&out);
}

int
main(void)
{
	struct docstream d;
	struct err err = ERR_INIT;
	int fd = mkstemp(path);

	if (fd < 0)
		perror(path), exit(1);
	close(fd);
	is(read_back("a: 1\n"), "1 {\"a\":1}", "one document");
	is(read_back("---\na: 1\n---\n\nb: 2\n"), "2 {\"a\":1}; 5 {\"b\":2}",
	    "two, with the lines of the file");
	is(read_back("--- {a: 1}\n--- # two\nb: 2"), "1 {\"a\":1}; 3 {\"b\":2}",
	    "on the line of the separator");
	is(read_back("a: |\n  ---\n  b\n---\n# none\n---\n"),
	    "1 {\"a\":\"---\\nb\\n\"}",
	    "inside a text, and documents that are empty");
	is(read_back("a: ---x\n---x: 1\n"), "1 {\"a\":\"---x\",\"---x\":1}",
	    "words that begin so");
	is(read_back(""), "", "nothing");
	is(read_back("a: 1\r\n---\r\nb: 2\r\n"), "1 {\"a\":1}; 3 {\"b\":2}",
	    "lines of another system");
	is(read_back("\xef\xbb\xbf---\na: 1\n\xef\xbb\xbf---\nb: 2\nc: 3\n"),
	    "2 {\"a\":1}; 4 {\"b\":2,\"c\":3}", "byte order marks");
	is(read_back("a: 1\n---\nb: 1\nb: 2\n"), ":4: duplicate key \"b\"",
	    "an error has the line of the file");
	unlink(path);
	ok(docstream_load(&d, path, &err) != 0 && d.count == 0 &&
		strstr(err.message, path) != NULL,
	    "no file");
	return tap_done();
}
