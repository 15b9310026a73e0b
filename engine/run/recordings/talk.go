package recordings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/observe/record"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// question is what one server asks another: for a list, or for a piece of a file.
type question struct {
	Find *Query `json:"find,omitempty"`
	Read *piece `json:"read,omitempty"`
}

// piece is a part of a file, at most pieceBytes from At on.
type piece struct {
	Name string `json:"name"`
	At   int64  `json:"at"`
}

// list answers a Query, or as much of it as fits.
type list struct {
	Rows []row `json:"rows"`
	All  int   `json:"all"`
}

// row is a recording between servers.
type row struct {
	Name   string    `json:"name"`
	Label  string    `json:"label"`
	Path   string    `json:"path"`
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Events int       `json:"events"`
	Bytes  int64     `json:"bytes"`
	Live   bool      `json:"live,omitempty"`
	Whole  bool      `json:"whole,omitempty"`
}

// The first byte of an answer about a piece. After has come, the piece follows.
const (
	hasCome = 'p'
	isGone  = 'g'
	failed  = 'f'
)

// reply answers another server. It trusts nothing in what that asks.
func (s *Shelf) reply(data []byte) []byte {
	var q question
	if json.Unmarshal(data, &q) != nil {
		return []byte{failed}
	}
	switch {
	case q.Find != nil:
		return s.replyList(*q.Find)
	case q.Read != nil:
		return s.replyPiece(*q.Read)
	}
	return []byte{failed}
}

// mayShare reports whether others may see a recording.
func (s *Shelf) mayShare(r record.Record) bool { return s.cfg.Of(r.Cluster).Shared }

func (s *Shelf) replyList(q Query) []byte {
	q.Skip, q.Count = max(q.Skip, 0), min(max(q.Count, 0), record.MaxSegments)
	found, all := s.here(q, s.mayShare)
	l, size := list{All: all, Rows: []row{}}, 0
	for i := range found {
		f := &found[i]
		one := row{f.Name, f.Label, f.Path, f.From, f.To, f.Events, f.Bytes, f.Live, f.Whole}
		if size += len(encode(one)) + 1; size > rowsBytes {
			break
		}
		l.Rows = append(l.Rows, one)
	}
	return encode(l)
}

func (s *Shelf) replyPiece(p piece) []byte {
	if found, _ := s.here(Query{Name: p.Name, Count: 1}, s.mayShare); len(found) == 0 {
		return []byte{isGone}
	}
	r, err := s.cfg.Folder.Read(p.Name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return []byte{isGone}
	case err != nil:
		s.cfg.Log.Warn("a recording can't be read for another server", "error", err)
		return []byte{failed}
	}
	defer r.Close()
	answer := make([]byte, 1+pieceBytes)
	answer[0] = hasCome
	n, err := r.ReadAt(answer[1:], max(p.At, 0))
	if err != nil && !errors.Is(err, io.EOF) {
		s.cfg.Log.Warn("a recording can't be read for another server", "error", err)
		return []byte{failed}
	}
	return answer[:1+n]
}

// ask returns the recordings of another folder that q asks for, and how many there are. Its error is ErrAway, or ctx's.
func (s *Shelf) ask(ctx context.Context, folder string, q Query) (rows []Recording, all int, err error) {
	for {
		var l list
		text, err := s.request(ctx, folder, question{Find: &q})
		if err != nil {
			return rows, all, err
		}
		if json.Unmarshal(text, &l) != nil {
			return rows, all, ErrAway
		}
		all = min(max(l.All, len(l.Rows), 0), record.MaxSegments)
		for _, r := range l.Rows[:min(len(l.Rows), q.Count)] {
			if one, ok := received(folder, r); ok {
				rows = append(rows, one)
			}
		}
		q.Skip, q.Count = q.Skip+len(l.Rows), q.Count-len(l.Rows)
		if len(l.Rows) == 0 || q.Count <= 0 || q.Skip >= all {
			return rows, all, nil
		}
	}
}

// maxLabel is the length of a cluster's label from another server, in bytes.
const maxLabel = 2048

// received checks what another server says of a recording.
func received(folder string, r row) (Recording, bool) {
	if !record.IsSegment(r.Name) || protocol.ValidatePath(r.Path) != nil || len(r.Label) > maxLabel ||
		r.Events < 0 || r.Bytes < 0 || r.Bytes > record.MaxSegmentBytes || r.From.IsZero() || r.To.Before(r.From) {
		return Recording{}, false
	}
	return Recording{
		Record: record.Record{Name: r.Name, Path: r.Path, From: r.From, To: r.To, Events: r.Events, Bytes: r.Bytes,
			Live: r.Live, Whole: r.Whole},
		ID: folder + "." + r.Name, Label: r.Label, Elsewhere: true,
	}, true
}

// request asks the server of a folder once.
func (s *Shelf) request(ctx context.Context, folder string, q question) ([]byte, error) {
	bus := s.cfg.Bus()
	if bus == nil {
		return nil, ErrAway
	}
	asking, cancel := context.WithTimeout(ctx, pieceWithin)
	defer cancel()
	answer, err := bus.Ask(asking, nameOf(folder), encode(q))
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrAway, err)
	}
	return answer, nil
}

// pieces reads a recording at another server, one piece after the other. It keeps the last one. It isn't safe for
// concurrent use.
type pieces struct {
	shelf  *Shelf
	ctx    context.Context // of the request that reads
	folder string
	of     Recording
	at     int64
	last   []byte
}

// ReadAt implements io.ReaderAt. It fails rather than returning less than the recording had when it was opened.
func (p *pieces) ReadAt(b []byte, off int64) (n int, err error) {
	for n < len(b) && off < p.of.Bytes {
		if off < p.at || off >= p.at+int64(len(p.last)) {
			if err := p.load(off); err != nil {
				return n, err
			}
		}
		copied := copy(b[n:], p.last[off-p.at:])
		n, off = n+copied, off+int64(copied)
	}
	if n < len(b) {
		err = io.EOF
	}
	return n, err
}

// load gets the piece at an offset.
func (p *pieces) load(off int64) error {
	for try := 1; ; try++ {
		answer, err := p.shelf.request(p.ctx, p.folder, question{Read: &piece{p.of.Name, off}})
		switch {
		case err == nil && len(answer) > 1 && answer[0] == hasCome && len(answer) <= 1+pieceBytes:
			p.at, p.last = off, answer[1:min(int64(len(answer)), 1+p.of.Bytes-off)]
			return nil
		case err == nil && len(answer) == 1 && answer[0] == isGone:
			return fmt.Errorf("recording %s: %w", p.of.Name, os.ErrNotExist)
		case err == nil:
			return ErrAway
		case try == tries || !hub.Pause(p.ctx, againEvery):
			return err
		}
	}
}
