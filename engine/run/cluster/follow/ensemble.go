package follow

import (
	"context"

	"github.com/zkviz/zkviz/engine/observe/ensemble"
)

// Ensemble is how a cluster's servers are. It asks them only while somebody calls it, and returns the last answers if
// new ones take long. Metrics and pages need no more than this.
type Ensemble interface {
	Ensemble(ctx context.Context) (ensemble.State, bool)
}

var _ Ensemble = (*Locks)(nil)

// Ensemble implements the interface. It returns false if nobody may ask the servers, or nobody has answered before ctx
// ended.
func (l *Locks) Ensemble(ctx context.Context) (ensemble.State, bool) {
	p := l.on.Ensemble
	if p == nil {
		return ensemble.State{}, false
	}
	l.ask(ctx, &l.roles, p.Latest().Number == 0, func() { _, _ = p.Next(l.stop, 0) }) // only l.stop makes it fail
	s := p.Latest()
	s.Own = max(l.on.Sessions.Own(), l.Sessions())
	return s, s.Number > 0
}
