/* A stand-in until the driver is here: prints scenarios as JSON lines.
 *	ktorture --scenes|--specs FOLDER
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jv.h>

#include "base/buf.h"
#include "json/jvtext.h"
#include "scene/folder.h"
#include "scene/scenario.h"
#include "scene/specs.h"

static int
print_all(jv list)
{
	jv_array_foreach(list, i, v)
	{
		jv text = jv_dump_string(v, 0);

		puts(jv_string_value(text));
		jv_free(text);
	}
	jv_free(list);
	return 0;
}

int
main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct folder f;
	struct buf path = BUF_INIT;
	jv list;

	if (argc != 3)
		return EXIT_PERMANENT;
	buf_addf(&path, "%s/watches.yaml", argv[2]);
	if (folder_load(&f, buf_str(&path), NULL, &err) != 0) {
		fprintf(stderr, "ktorture: fatal: %s\n", err.message);
		return err_exit_code(&err);
	}
	buf_release(&path);
	if (strcmp(argv[1], "--specs") == 0) {
		struct specs s;

		if (specs_load(&s, &f, &err) != 0)
			return fprintf(stderr, "%s\n", err.message), 1;
		list = jv_array();
		for (size_t i = 0; i < specs_count(&s) && i < 3000; i++)
			list = jv_array_append(list, specs_get(&s, 7, i));
		specs_release(&s);
		folder_release(&f);
		return print_all(list);
	}
	list = scenario_written(&f, &err);
	if (jv_is_valid(list))
		list = jv_array_concat(list, scenario_defaults(&f, &err));
	if (jv_is_valid(list))
		print_all(list);
	else
		fprintf(stderr, "ktorture: fatal: %s\n", err.message);
	folder_release(&f);
	return err_exit_code(&err);
}
