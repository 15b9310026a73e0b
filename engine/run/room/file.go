package room

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/judge"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// openFile opens a room that shows a trace file.
func (s *Runs) openFile(ctx context.Context, who ClientKey, name string) (*room, error) {
	if s.file == nil {
		return nil, sentence.Error("refused.no-files")
	}
	text, ok := s.file(name)
	if !ok {
		return nil, sentence.Error("refused.file", sentence.Quote(protocol.Clip(name)))
	}
	key := logKey(sha256.Sum256([]byte("file " + name)))
	k, err := s.sims.get(ctx, who, key, func(ctx context.Context, most int) (judged, error) {
		return branchOf(ctx, text, most, s.yield)
	})
	if err != nil {
		return nil, err
	}
	return s.openLog(who, k, key)
}

// openLog opens a room that shows a pinned log without a scenario.
func (s *Runs) openLog(who ClientKey, k *keptLog, key logKey) (*room, error) {
	defer s.rooms.unpin(k)
	r := s.rooms.newRoom(k.branch.Header, who)
	r.addBranch(simBranch(k.branch, key))
	if err := s.rooms.open(r, k); err != nil {
		return nil, err
	}
	return r, nil
}

// eventsPerCheck is the number of a file's events between two looks whether somebody still waits for it.
const eventsPerCheck = 64

// branchOf reads a trace file as a branch of at most that many bytes, and judges it.
func branchOf(ctx context.Context, text []byte, most int, yield func()) (judged, error) {
	if len(text) > MaxFile {
		return judged{}, fmt.Errorf("the file has more than %d bytes", MaxFile)
	}
	r, err := trace.NewReader(bytes.NewReader(text))
	if err != nil {
		return judged{}, err
	}
	var log packed.Builder
	verdicts := judge.New(r.Header)
	for n := 1; ; n++ {
		e, err := r.Next()
		switch {
		case err == io.EOF && n == 1:
			return judged{}, errors.New("the trace has no events")
		case err == io.EOF:
			b := run.Branch{Parent: -1, From: 1, Header: r.Header, Own: log.Log()}
			return judged{b, verdicts.Verdict()}, nil
		case err != nil:
			return judged{}, err
		case n > MaxFileEvents:
			return judged{}, fmt.Errorf("the trace has more than %d events", MaxFileEvents)
		}
		log.Append(e)
		verdicts.Append(e)
		if n%eventsPerCheck > 0 {
			continue
		}
		switch {
		case ctx.Err() != nil:
			return judged{}, ctx.Err()
		case log.Size() > most:
			return judged{}, run.ErrTooLarge
		case yield != nil:
			yield()
		}
	}
}
