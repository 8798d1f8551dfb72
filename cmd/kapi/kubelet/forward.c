#include "kubelet/forward.h"

static void
end(struct forward *f)
{
	if (f->ended)
		return;
	f->ended = true;
	f->output.end(f->output.arg);
}

static void
refuse(
    struct forward *f, const struct node *pod, unsigned port, struct span why)
{
	struct arena *a = &f->arena;
	struct span uid = tree_path_text(pod, "metadata.uid");

	f->output.error(f->output.arg,
	    arena_printf(a, "error forwarding port %u to pod %.*s, uid : %.*s",
		port, SPAN_ARG(uid), SPAN_ARG(why)));
	end(f);
}

void
forward_start(struct forward *f, const struct node *pod, unsigned port,
    const struct forward_output *output)
{
	struct arena *a = &f->arena;
	struct err err = ERR_INIT;

	*f = (struct forward){.output = *output};
	switch (script_port(a, pod, port, &f->script, &err)) {
	case SCRIPT_FOUND:
		if (f->script.greeting.n > 0)
			f->output.write(f->output.arg, f->script.greeting);
		return;
	case SCRIPT_NONE:
		refuse(f, pod, port,
		    arena_printf(a,
			"failed to connect to localhost:%u inside namespace "
			"\"%.*s\", IPv4: dial tcp4 127.0.0.1:%u: connect: "
			"connection refused",
			port, SPAN_ARG(tree_path_text(pod, "metadata.uid")),
			port));
		return;
	case SCRIPT_BAD:
		refuse(f, pod, port, arena_span(a, span_str(err.message)));
	}
}

void
forward_input(struct forward *f, struct span bytes)
{
	if (f->ended || bytes.n == 0)
		return;
	if (f->script.echo)
		f->output.write(f->output.arg, bytes);
	if (f->script.answer.n > 0 && !f->ended) {
		f->output.write(f->output.arg, f->script.answer);
		end(f);
	}
}

void
forward_input_end(struct forward *f)
{
	end(f);
}

void
forward_release(struct forward *f)
{
	arena_release(&f->arena);
}
