package embed

import "github.com/zkviz/zkviz/engine/zab"

// ServerState is what a server of an ensemble is at the moment.
type ServerState struct {
	Addr          string
	Up, Paused    bool
	Mode          string // leader, follower, observer, or unknown
	Serves        bool   // clients
	Epoch         int64  // that it has adopted
	Zxid          int64  // of the last transaction that it has applied
	Sessions, Log int    // that it knows of, and how many transactions are in its log
}

// State is what each server is, in their order.
func (e *Ensemble) State() (list []ServerState) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, m := range e.members[1:] {
		s := m.self()
		list = append(list, ServerState{
			Addr: m.addr.String(), Up: s.Up(), Paused: s.Paused(), Mode: m.mode(), Serves: s.Serves(),
			Epoch: int64(s.Disk.Current), Zxid: int64(s.Delivered()), Sessions: m.core.NumSessions(), Log: len(s.Disk.Log),
		})
	}
	return list
}

// Changed tells one reader that a server has become something else since it was last told: State says what each is.
func (e *Ensemble) Changed() <-chan struct{} { return e.news }

// Leader is the number of the server that leads the latest epoch, 0 if none does.
func (e *Ensemble) Leader() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.group.Leader(); s != nil {
		return int(s.ID())
	}
	return 0
}

// standing is what a server is, as far as that is told when it changes.
type standing struct {
	up, paused, serves bool
	mode               string
	epoch              zab.Epoch
}

func (m *member) standing() standing {
	s := m.self()
	return standing{s.Up(), s.Paused(), s.Serves(), m.mode(), s.Disk.Current}
}
