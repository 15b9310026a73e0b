package across

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/run/class"
)

// client is what an owner tells all servers of a learner's client.
type client struct {
	Learner int              `json:"learner"` // 0: nobody has one
	View    class.ClientView `json:"view"`
}

// Move has the owner move a learner's client: see class.Line. It is asked once: to move a client twice isn't the same.
func (l *line) Move(ctx context.Context, o class.Order) error {
	return l.try(ctx, o)
}

// clients are learners whose clients have changed since the other servers were told how they are.
type clients struct {
	bell hub.Bell // rings when there is one

	mu  sync.Mutex
	of  map[int]bool
	all bool
}

// Changed has the other servers told how a learner's client is: see class.Line.
func (l *line) Changed(learner int) {
	l.clients.mu.Lock()
	if learner == 0 {
		l.clients.all = true
	} else {
		l.clients.of[learner] = true
	}
	l.clients.mu.Unlock()
	l.clients.bell.Ring()
}

// tellClients tells the other servers how clients are that have changed, at the owner.
func (l *line) tellClients() {
	for {
		news := l.clients.bell.Next()
		l.clients.mu.Lock()
		of, all := l.clients.of, l.clients.all
		l.clients.of, l.clients.all = map[int]bool{}, false
		l.clients.mu.Unlock()
		if all {
			l.tellClient(0, class.ClientView{})
			l.class.Read(func(s *class.State) {
				for i := range s.Learners {
					of[i+1] = true
				}
			})
		}
		for learner := range of {
			if v := l.class.ClientOf(learner); !all || v.Is != class.NoClient {
				l.tellClient(learner, v)
			}
		}
		select {
		case <-news:
		case <-l.ctx.Done():
			return
		}
	}
}

// tellClient is volatile: who misses it hears the next one.
func (l *line) tellClient(learner int, v class.ClientView) {
	if lease, _ := l.state(); lease != nil {
		_ = lease.Tell(encode(told{Client: &client{learner, v}}))
	}
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it has no value that JSON lacks
	}
	return text
}
