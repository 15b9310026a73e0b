package clients

import "testing"

// python is Debian's, which finds Debian's kazoo. Another may come first on the path, and lacks it.
const python = "/usr/bin/python3"

func needKazoo(t *testing.T) {
	t.Helper()
	need(t, "/usr/lib/python3/dist-packages/kazoo", "python3-kazoo")
}

// kazoo runs the checks in testdata/kazoo.
func kazoo(t *testing.T, addr string) {
	needKazoo(t)
	cmd := command(t, python, "-B", "testdata/kazoo/main.py", addr, "/kazoo")
	report(t, 26, cmd)

	w := newWitness(t, addr)
	w.wantNoEphemerals("/kazoo")
	w.wantData("/kazoo/lock/count", "40")
	w.wantLeft("/kazoo/lock/lock")
	w.wantData("/kazoo/read_and_write_locks/count", "15")
	w.wantData("/kazoo/semaphore/semaphore", "3")
	w.wantData("/kazoo/election/count", "8")
	w.wantData("/kazoo/counter/counter", "40")
	w.wantData("/kazoo/transactions/a", "2")
	w.wantLeft("/kazoo/transactions/a", "n-0000000000")
	w.wantLeft("/kazoo/queue/queue")
	w.wantGone("/kazoo/barrier/barrier")
}
