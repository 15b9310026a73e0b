package clients

import (
	"testing"

	"github.com/zkviz/zkviz/engine/testing/clienttest"
)

// kazoo runs the checks in testdata/kazoo.
func kazoo(t *testing.T, addr string) {
	clienttest.Need(t, clienttest.Kazoo)
	report(t, 26, clienttest.Kazoo.Command(within(t), "testdata/kazoo/main.py", addr, "/kazoo"))

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
