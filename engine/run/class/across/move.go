package across

import (
	"context"
	"encoding/json"

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

// Tell tells the other servers how a learner's client is: see class.Line.
func (l *line) Tell(learner int, v class.ClientView) {
	if lease, _ := l.state(); lease != nil {
		_ = lease.Tell(encode(told{Client: &client{learner, v}})) // volatile: they hear the next one
	}
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it has no value that JSON lacks
	}
	return text
}
