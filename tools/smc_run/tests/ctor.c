// SPDX-License-Identifier: GPL-2.0
/*
 * The probe is linked with this library. The constructor of the library runs
 * before the constructor of a preloaded library, and opens sockets from many
 * threads at once.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

enum { THREADS = 32, SOCKETS = 200 };

atomic_int ctor_sockets;
atomic_int ctor_marked;
static pthread_barrier_t barrier;

static void *make_sockets(void *arg)
{
	int i;

	pthread_barrier_wait(&barrier);
	for (i = 0; i < SOCKETS; i++) {
		int fd = socket(i & 1 ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
		socklen_t len = sizeof(int);
		int mark = 0;

		if (fd < 0)
			continue;
		atomic_fetch_add(&ctor_sockets, 1);
		getsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &mark, &len);
		if (mark == (i & 1 ? 44 : 43))
			atomic_fetch_add(&ctor_marked, 1);
		close(fd);
	}
	return arg;
}

__attribute__((constructor)) static void start(void)
{
	pthread_t t[THREADS];
	int i;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, make_sockets, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}
