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

	"github.com/zkviz/zkviz/engine/testing/clienttest"
)

// crew is a group of clients of one library. They create and delete znodes again and again.
type crew struct {
	library string
	below   string // the prefix of their znodes' paths, which nobody else uses
	clients int
	end     func() // makes them close their sessions
}

// pace is how many transactions a second all clients together make, if the machine is fast enough.
const pace = 500

// crewsAtWork starts clients of every library. Those of go-zookeeper make up what the pace lacks.
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

// goAtWork starts the go-zookeeper crew.
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

// worker creates and deletes znodes, while some of the pace is left.
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
		// A failed request is a transaction too, or none while there is no leader.
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

// sessions returns the sessions that have created znodes.
func (c crew) sessions(list []transaction) map[int64]bool {
	all := map[int64]bool{}
	for _, x := range list {
		if strings.HasPrefix(x.made, c.below) {
			all[x.session] = true
		}
	}
	return all
}

// judge logs what each crew has done and how fast all of them were under each leader. The speed isn't judged.
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

// ofEpoch returns the transactions of one leader from an ordered list.
func ofEpoch(list []transaction, epoch int64) (led []transaction) {
	for _, x := range list {
		if x.zxid>>32 == epoch {
			led = append(led, x)
		}
	}
	return led
}
