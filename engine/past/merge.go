package past

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"

	"github.com/zkviz/zkviz/engine/txnlog"
	"github.com/zkviz/zkviz/engine/wire"
)

// MaxServers is how many servers' files are read side by side.
const MaxServers = 16

// ErrServers is that there are more.
var ErrServers = fmt.Errorf("these are the folders of more than %d servers: name fewer", MaxServers)

// Set is a set of servers, by their places in the list.
type Set uint32

// Of returns the set of one.
func Of(server int) Set { return 1 << server }

// Has reports whether a server is in it.
func (s Set) Has(server int) bool { return s>>server&1 != 0 }

// Len returns how many there are.
func (s Set) Len() int { return bits.OnesCount32(uint32(s)) }

// namesIn are the names of those in a set.
func namesIn(servers []Server, set Set) string {
	var names []string
	for i := range servers {
		if set.Has(i) {
			names = append(names, servers[i].Name)
		}
	}
	return strings.Join(names, ", ")
}

// Position is where a server's next transaction is.
type Position struct {
	Log    int   // which of its logs
	Offset int64 // in bytes; 0 for the log's beginning
}

// Step is a transaction as servers have it.
type Step struct {
	Txn    *wire.Txn // good until the next step
	Has    Set       // who has it
	Others Set       // of these, who has something else under its number
	Passed Set       // who has gone on as though it had never been
	Lacks  Set       // who has a gap there
	Ended  Set       // whose logs have ended before it
	Torn   bool      // nobody who has it has all that's just before it: something there can't be read
}

// Merge reads the transactions of several servers in their order, each once.
type Merge struct {
	in      []*stream
	trouble func(Trouble)
	last    Set // who had the one that was read last
	count   int
	a, b    []byte // room for what is compared
}

// NewMerge reads from the beginning, or from where At was. It opens files as it comes to them. What the files do not
// tell goes to trouble. Close it.
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

// At returns where each server's next transaction is: after a step that of this one, for those that have it.
func (m *Merge) At() []Position {
	all := make([]Position, len(m.in))
	for i, s := range m.in {
		all[i] = s.at
	}
	return all
}

// ErrRewritten reports that what was read of a log isn't in it any more.
var ErrRewritten = errors.New("what was read of a log isn't there any more")

// Resume goes on after the end of a Merge of one server, whose logs may have grown since, and of which there may be
// more: the first of them must be those of the Merge, in their order. What was told of the end of the last log is told
// again if it is still so. Resume returns ErrRewritten if the last transaction isn't where it was.
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

// Read returns how many bytes have been read since the beginning or since the position that was given, of logs that are
// done with.
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

// compare finds out who has something else under the transaction's number. What most have is taken for right.
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

// Of returns what a server has, of those that have the last step.
func (m *Merge) Of(server int) *wire.Txn { return &m.in[server].txn }

// stream reads a server's logs one after the other.
type stream struct {
	of     *Server
	server int
	at     Position // of txn
	had    Position // of the last transaction that was read
	txn    wire.Txn
	last   int64 // the zxid before it
	ended  bool
	torn   bool // something that can't be read is between the zxid before it and it
	// doubted is where damage was seen that has to be seen twice: a server may have been writing there.
	doubted Position

	in    *txnlog.File
	least int64 // the greatest zxid in this file so far
	back  bool  // the zxids have gone back in it
	twin  *twin
	begun int64 // where in the file it was begun
	done  int64 // bytes of files before
}

func (s *stream) close() {
	if s.in != nil {
		_ = s.in.Close()
		s.done += s.in.Offset() - s.begun
		s.in = nil
	}
	s.twin.close()
	s.twin = nil
}

// next reads the next transaction that has not been read in another of the server's logs.
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

// inLog reads the next transaction that this log has after a zxid. It returns io.EOF if there is none.
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

// doubt goes back to the beginning of damage, once, if there are whole transactions behind it: it reports whether it
// does. While a server writes, zeros are read where a transaction is a moment later, and then those that follow it.
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
