/*
 * A process of a virtual clock whose socket holds bytes that will never be read.
 * It waits once in its loop, for what is there, and then for a signal: as a tool
 * that a callback of its loop holds up.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "process/clock.h"

static void
must(int code)
{
	if (code != -1)
		return;
	perror("flight");
	exit(1);
}

int
main(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	struct epoll_event event = {.events = EPOLLIN};
	socklen_t n = sizeof(a);
	static char data[65536];
	int server, client, epoll, pipes[2];

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	must(server = socket(AF_INET, SOCK_STREAM, 0));
	must(bind(server, (struct sockaddr *)&a, n));
	must(listen(server, 1));
	must(getsockname(server, (struct sockaddr *)&a, &n));
	must(client = socket(AF_INET, SOCK_STREAM, 0));
	must(connect(client, (struct sockaddr *)&a, n));
	while (send(client, data, sizeof(data), MSG_DONTWAIT) > 0)
		continue;

	must(pipe(pipes));
	must((int)write(pipes[1], "", 1));
	must(epoll = epoll_create1(0));
	must(epoll_ctl(epoll, EPOLL_CTL_ADD, client,
	    &(struct epoll_event){.events = EPOLLET}));
	must(epoll_ctl(epoll, EPOLL_CTL_ADD, pipes[0], &event));
	must(clock_wait(epoll, &event, 1, clock_ms() + 1000000));
	puts("held up");
	fflush(stdout);
	for (;;)
		pause();
}
