package past

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"

	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// MaxServers is how many servers' files are read together.
const MaxServers = 16

// ErrServers reports that there are more.
var ErrServers = fmt.Errorf("there must be at most %d servers' folders: name fewer", MaxServers)

// Set is a set of servers, by index.
type Set uint32

// Of returns the set of one server.
func Of(server int) Set { return 1 << server }

// Has reports whether a server is in s.
func (s Set) Has(server int) bool { return s>>server&1 != 0 }

// Len returns the number of servers in s.
func (s Set) Len() int { return bits.OnesCount32(uint32(s)) }

// namesIn returns the names of the servers in a set.
func namesIn(servers []Server, set Set) string {
	var names []string
	for i := range servers {
		if set.Has(i) {
			names = append(names, servers[i].Name)
		}
	}
	return strings.Join(names, ", ")
}

// Position is the place of a server's next transaction.
type Position struct {
	Log    int   // index of the log
	Offset int64 // in bytes; 0 for the log's beginning
}

// Step is a transaction with the servers that have it.
type Step struct {
	Txn    *wire.Txn // valid until the next step
	Has    Set       // servers that have it
	Others Set       // of these, servers with another transaction under its number
	Passed Set       // servers that continue as if it had never existed
	Lacks  Set       // servers with a gap there
	Ended  Set       // servers whose logs end before it
	Torn   bool      // everyone that has it has unreadable data just before it
}

// Merge reads the transactions of several servers in order, each once.
type Merge struct {
	in      []*stream
	trouble func(Trouble)
	last    Set // servers that had the last transaction
	count   int
	a, b    []byte // buffers for comparison
}

// NewMerge reads from the beginning, or from positions returned by At. It opens files as it reaches them, and
// reports what is missing to trouble. Close it.
func NewMerge(servers []Server, from []Position, trouble func(Trouble)) *Merge {
	m := &Merge{trouble: trouble}
	for i := range servers {
		s := &stream{of: &servers[i], server: i, doubted: Position{Log: -1}}
		if from != nil {
			s.at = from[i]
		}
		m.in = append(m.in, s)
		m.last |= Of(i)
	}
	return m
}

// Close closes the files.
func (m *Merge) Close() {
	for _, s := range m.in {
		s.close()
	}
}

// At returns the position of each server's next transaction. After a step, that is this step's transaction for
// servers that have it.
func (m *Merge) At() []Position {
	all := make([]Position, len(m.in))
	for i, s := range m.in {
		all[i] = s.at
	}
	return all
}

// ErrRewritten reports that a log no longer contains what was read of it.
var ErrRewritten = errors.New("a part of a log that was read before is gone")

// Resume continues after the end of a Merge of one server. Its logs may have grown, and new ones may exist, but
// they must begin with the logs of the Merge, in order. Trouble at the end of the last log is reported again if it
// remains. Resume returns ErrRewritten if the last transaction isn't where it was.
func (m *Merge) Resume(server Server) error {
	s := m.in[0]
	s.close()
	s.of, s.at, s.ended, s.doubted = &server, s.had, false, Position{Log: -1}
	if s.txn.Zxid == 0 {
		return nil
	}
	log, err := txnlog.OpenFile(server.Logs[s.at.Log].Path, s.at.Offset)
	if err != nil {
		return err
	}
	defer log.Close()
	var t wire.Txn
	if err := log.Next(&t); err != nil || !bytes.Equal(t.Append(nil), s.txn.Append(nil)) {
		return ErrRewritten
	}
	return nil
}

// Read returns how many bytes of logs have been read since the start.
func (m *Merge) Read() (n int64) {
	for _, s := range m.in {
		n += s.done
		if s.in != nil {
			n += s.in.Offset() - s.begun
		}
	}
	return n
}

// Next reads a transaction. It returns io.EOF after the last, and the error of ctx if that ends.
func (m *Merge) Next(ctx context.Context) (step Step, err error) {
	if m.count++; m.count%lookUp == 0 && ctx.Err() != nil {
		return step, ctx.Err()
	}
	var first *stream
	for i, s := range m.in {
		if m.last.Has(i) {
			if err := s.next(m.trouble); err != nil {
				return step, err
			}
		}
		if s.ended {
			step.Ended |= Of(i)
		} else if first == nil || s.txn.Zxid < first.txn.Zxid {
			first = s
		}
	}
	if first == nil {
		return step, io.EOF
	}
	step.Txn, step.Torn = &first.txn, true
	for i, s := range m.in {
		switch {
		case s.ended:
		case s.txn.Zxid == first.txn.Zxid:
			step.Has |= Of(i)
			step.Torn = step.Torn && s.torn
		case s.last == 0: // it begins later
		case follows(s.last, s.txn.Zxid):
			step.Passed |= Of(i)
		default:
			step.Lacks |= Of(i)
		}
	}
	m.last = step.Has
	if len(m.in) > 1 {
		m.compare(&step)
	}
	return step, nil
}

// compare finds servers with a different transaction under the number. The majority's transaction counts as right.
func (m *Merge) compare(step *Step) {
	most := Set(0)
	for left := step.Has; left.Len() > most.Len(); {
		alike := Set(0)
		for i, s := range m.in {
			switch {
			case !left.Has(i):
			case alike == 0:
				alike = Of(i)
				m.a = s.txn.Append(m.a[:0])
			default:
				if m.b = s.txn.Append(m.b[:0]); bytes.Equal(m.a, m.b) {
					alike |= Of(i)
				}
			}
		}
		if alike.Len() > most.Len() {
			most = alike
		}
		left &^= alike
	}
	step.Others = step.Has &^ most
	step.Txn = m.Of(bits.TrailingZeros32(uint32(most)))
}

// Of returns a server's transaction, if it has the last step.
func (m *Merge) Of(server int) *wire.Txn { return &m.in[server].txn }

// stream reads a server's logs in turn.
type stream struct {
	of     *Server
	server int
	at     Position // txn's
	had    Position // the last transaction read
	txn    wire.Txn
	last   int64 // the zxid before it
	ended  bool
	torn   bool // unreadable data precedes it
	// doubted is where damage was seen once. It must be seen twice, because a server may just have been writing there.
	doubted Position

	in       *txnlog.File
	least    int64 // the greatest zxid in this file so far
	back     bool  // the zxids have gone back in it
	rereader *rereader
	begun    int64 // the offset at which it was opened
	done     int64 // bytes of earlier files
}

func (s *stream) close() {
	if s.in != nil {
		_ = s.in.Close()
		s.done += s.in.Offset() - s.begun
		s.in = nil
	}
	s.rereader.close()
	s.rereader = nil
}

// next reads the next transaction that no earlier log of the server had.
func (s *stream) next(trouble func(Trouble)) error {
	before := s.txn.Zxid
	s.torn = false
	for ; s.at.Log < len(s.of.Logs); s.at.Log, s.at.Offset = s.at.Log+1, 0 {
		log := s.of.Logs[s.at.Log]
		if s.in == nil {
			if err := s.open(log.Path); err != nil {
				return err
			}
			s.least, s.back = 0, false
		}
		err := s.inLog(before, trouble)
		if err == nil {
			return nil
		}
		s.close()
		if err != io.EOF {
			return fmt.Errorf("%s: %w", log.Path, err)
		}
	}
	s.ended = true
	return nil
}

// inLog reads this log's next transaction after a zxid. It returns io.EOF if there is none.
func (s *stream) inLog(before int64, trouble func(Trouble)) error {
	for {
		s.at.Offset = s.in.Offset()
		err := s.in.Next(&s.txn)
		if err == nil {
			back := s.goesBack(trouble)
			if s.txn.Zxid > before {
				s.last, s.had = before, s.at
				return nil
			}
			if !back {
				if err := s.again(trouble); err != nil {
					return err
				}
			}
			continue
		}
		var torn *txnlog.TornError
		switch {
		case errors.As(err, &torn):
			if again, err := s.doubt(torn); err != nil {
				return err
			} else if again {
				continue
			}
			s.torn = true
			trouble(Trouble{s.of.Logs[s.at.Log].Path, err, s.server})
			if torn.Until == 0 {
				return io.EOF
			}
		default:
			return err
		}
	}
}

// doubt returns to the beginning of damage, once, if intact transactions follow it. It reports whether it does.
// While a server writes, a reader may see zeros in place of a transaction, and later ones behind it.
func (s *stream) doubt(torn *txnlog.TornError) (bool, error) {
	here := Position{s.at.Log, torn.Offset}
	if torn.Until == 0 || here == s.doubted {
		return false, nil
	}
	s.doubted = here
	s.close()
	s.at.Offset = torn.Offset
	return true, s.open(s.of.Logs[s.at.Log].Path)
}

func (s *stream) open(path string) (err error) {
	s.begun = s.at.Offset
	if s.in, err = txnlog.OpenFile(path, s.at.Offset); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if s.at.Offset > 0 {
		s.in.Since(s.txn.Zxid)
	}
	return nil
}
