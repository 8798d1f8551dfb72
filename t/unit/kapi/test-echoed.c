#include "kubelet/follower.h"

#include "base/array.h"
#include "trees.h"

/* container: its command and args, JSON; want NULL: none. */
static void
test(const char *container, const char *want)
{
	struct span json = arena_printf(&arena,
	    "{\"spec\":{\"containers\":[{\"name\":\"a\",\"command\":[\"no\"]},"
	    "{\"name\":\"c\",%s}]}}",
	    container);
	struct node *pod = parse_span(json);
	struct span got = follower_echoed(&arena, pod, span_str("c"));

	ok(want == NULL ? got.p == NULL : span_is(got, want), container);
}

TEST(echoed)
{
	static const char *const none[] = {"\"image\":\"i\"",
	    "\"command\":[\"cat\",\"x\"]",
	    "\"command\":[\"echo\",\"-n\",\"x\"]",
	    "\"command\":[\"sh\",\"-c\",\"echo $HOME\"]",
	    "\"command\":[\"sh\",\"-c\",\"echo \\\"$(date)\\\"\"]",
	    "\"command\":[\"sh\",\"-c\",\"echo a; echo b\"]",
	    "\"command\":[\"sh\",\"-c\",\"echo a | cat\"]",
	    "\"command\":[\"sh\",\"-c\",\"echo 'a\"]",
	    "\"command\":[\"sh\",\"-c\",\"\"]",
	    "\"command\":[\"sh\",\"echo\",\"a\"]",
	    "\"command\":[\"sh\",\"-c\",\"echo a\",\"x\"]"};

	test("\"command\":[\"echo\",\"hello\",\"world\"]", "hello world\n");
	test("\"command\":[\"/bin/echo\"],\"args\":[\"$a; b\"]", "$a; b\n");
	test("\"args\":[\"echo\"]", "\n");
	test("\"command\":[\"sh\",\"-c\",\" echo  a 'b  $c' \\\"d|\\\"e \"]",
	    "a b  $c d|e\n");
	test("\"command\":[\"/bin/bash\",\"-c\"],\"args\":[\"echo x\"]", "x\n");
	for (size_t i = 0; i < COUNT(none); i++)
		test(none[i], NULL);
	ok(follower_echoed(&arena, NULL, span_str("c")).p == NULL, "no Pod");
	arena_release(&arena);
}
