/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Torture.java - what a JVM does with its own code: compiling while it runs,
 * moving objects, stopping all threads at safepoints, touching the pages below
 * each stack, exceptions through compiled frames.
 *
 *	java Torture.java ROUNDS
 */
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.LongStream;

class Torture {
	static long deep(long n) {
		return n == 0 ? 1 : deep(n - 1) * 31 + n;
	}

	static int overflows(int n) {
		try {
			return overflows(n + 1);
		} catch (StackOverflowError e) {
			return 1;
		}
	}

	static long thrown(long n) {
		try {
			if (n % 3 == 0)
				throw new IllegalStateException("n" + n);
			return ((Object[])new Integer[1])[(int)(n % 2)] == null ?
				       n : 0;
		} catch (ArrayIndexOutOfBoundsException e) {
			return n * 5;
		} catch (IllegalStateException e) {
			return e.getMessage().hashCode();
		}
	}

	static long garbage(int n) {
		TreeMap<String, byte[]> m = new TreeMap<>();
		for (int i = 0; i < n; i++)
			m.put("k" + i % 97, new byte[i % 4000]);
		return m.values().stream().mapToLong(b -> b.length).sum();
	}

	static final Object lock = new Object();
	static long shared;

	static void threads(int rounds) throws InterruptedException {
		List<Thread> all = new ArrayList<>();
		for (int t = 0; t < 6; t++) {
			Thread one = new Thread(() -> {
				for (int i = 0; i < rounds; i++)
					synchronized (lock) {
						shared += i;
					}
			});
			one.start();
			all.add(one);
		}
		for (Thread one : all)
			one.join();
	}

	public static void main(String[] args) throws Exception {
		long sum = 0;
		for (int i = 0; i < Integer.parseInt(args[0]); i++) {
			threads(3000);
			for (int k = 0; k < 2000; k++)
				sum = sum * 17 + thrown(k);
			sum += deep(500) + overflows(0) + garbage(4000);
			sum += LongStream.range(0, 20000).parallel()
				       .map(x -> x * x % 1013).sum();
			if (i % 20 == 0)
				System.gc();
		}
		System.out.println(sum + " " + shared);
		System.exit(7);
	}
}
