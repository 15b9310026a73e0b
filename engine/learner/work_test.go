package learner_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"golang.org/x/time/rate"

	"github.com/zkviz/zkviz/engine/live/clienttest"
)

// crew is clients of one library at work: they make znodes and remove them, again and again.
type crew struct {
	library string
	below   string // which their znodes' paths begin with, and nobody else's do
	clients int
	end     func() // has them close their sessions
}

// pace is how many transactions a second all clients make together, if the machine lets them.
const pace = 500

// crewsAtWork starts clients of every library. Those of go-zookeeper make what lacks of the pace.
func crewsAtWork(t *testing.T, servers string, left *rate.Limiter) []crew {
	program := func(of clienttest.Client, below, file string, clients int) crew {
		p := clienttest.Start(t, of.Command(t.Context(), file, servers, below, fmt.Sprint(clients), "40"))
		return crew{of.Name, below + "/", clients, p.End}
	}
	return []crew{
		program(clienttest.Curator, "/curator", "testdata/Work.java", 2),
		program(clienttest.Kazoo, "/kazoo", "testdata/work.py", 2),
		goAtWork(t, servers, 4, left),
	}
}

// goAtWork is that of go-zookeeper.
func goAtWork(t *testing.T, servers string, clients int, left *rate.Limiter) crew {
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() { worker(t, ctx, servers, fmt.Sprint("/go-", i), left) })
	}
	return crew{"go-zookeeper", "/go-", clients, func() {
		stop()
		all.Wait()
	}}
}

// worker makes znodes and removes them, while there is any of the pace left.
func worker(t *testing.T, ctx context.Context, servers, base string, left *rate.Limiter) {
	conn, _, err := zk.Connect(strings.Split(servers, ","), time.Minute, zk.WithLogger(quiet{}))
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	acl := zk.WorldACL(zk.PermAll)
	for i := 0; ctx.Err() == nil; i++ {
		for left.Tokens() < 1 && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		// What fails is a transaction too, or none while there is no leader.
		_, _ = conn.Create(base, nil, 0, acl)
		path, err := conn.Create(base+"/lock-", []byte(fmt.Sprint(i)), zk.FlagEphemeral|zk.FlagSequence, acl)
		if err != nil {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		_, _ = conn.Set(path, []byte("held"), -1)
		_, _ = conn.Multi(&zk.CheckVersionRequest{Path: base, Version: 0}, &zk.DeleteRequest{Path: path, Version: -1})
	}
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

// sessions is those that have made znodes.
func (c crew) sessions(list []transaction) map[int64]bool {
	all := map[int64]bool{}
	for _, x := range list {
		if strings.HasPrefix(x.made, c.below) {
			all[x.session] = true
		}
	}
	return all
}

// judge says what each crew has done, and how fast all of them were under each leader, which is not judged.
func judge(t *testing.T, crews []crew, list []transaction) {
	t.Helper()
	for _, c := range crews {
		sessions, did := c.sessions(list), 0
		for _, x := range list {
			if sessions[x.session] {
				did++
			}
		}
		if t.Logf("%s: %d transactions of %d sessions", c.library, did, len(sessions)); len(sessions) < c.clients {
			t.Errorf("of %s there are %d clients, and %d at work", c.library, c.clients, len(sessions))
		}
	}
	for len(list) > 0 {
		led := ofEpoch(list, list[0].zxid>>32)
		took := time.Duration(led[len(led)-1].timeMS-led[0].timeMS) * time.Millisecond
		t.Logf("%d transactions in %v under a leader, %.0f a second", len(led), took, float64(len(led))/took.Seconds())
		list = list[len(led):]
	}
}

// ofEpoch is the transactions of one leader, in a list of them in their order.
func ofEpoch(list []transaction, epoch int64) (led []transaction) {
	for _, x := range list {
		if x.zxid>>32 == epoch {
			led = append(led, x)
		}
	}
	return led
}
