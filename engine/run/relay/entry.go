package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// The kinds of entries.
const (
	kindEvents = 'e' // a block of engine/event/packed
	kindEnded  = 'x' // the log has ended: a sentence, or nothing if another log can begin at once
)

var errEntry = errors.New("an entry of a shared observation can't be read")

// endOf returns the entry that ends a log.
func endOf(why error) []byte {
	entry := []byte{kindEnded}
	if why == nil {
		return entry
	}
	text, err := json.Marshal(sentence.From(why))
	if err != nil {
		panic(err) // it has no value that JSON lacks
	}
	return append(entry, text...)
}

// position is how far a log has been read.
type position struct {
	seq event.Seq
	at  time.Duration
}

// follows returns an error unless e may come next. What comes over NATS is held to the same as a trace file.
func (p position) follows(e event.Event) error {
	err := e.Valid()
	switch {
	case err != nil:
	case e.Seq != p.seq+1:
		err = fmt.Errorf("event %d comes after event %d", e.Seq, p.seq)
	case e.At < p.at || e.At > event.MaxTime:
		err = fmt.Errorf("event %d is at %v", e.Seq, e.At)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errEntry, err)
	}
	return nil
}

// read calls yield with an entry's events, until that returns false, and moves the position behind them. It returns why
// the log has ended, if it has: event.ErrLogFull if another can begin. An entry that no owner writes is errEntry.
func (p *position) read(entry []byte, yield func(event.Event) bool) error {
	if len(entry) == 0 {
		return errEntry
	}
	switch kind, data := entry[0], entry[1:]; kind {
	case kindEvents:
		var d packed.Decoder
		d.Begin(data)
		for e := (event.Event{}); d.Next(&e); {
			if err := p.follows(e); err != nil {
				return err
			}
			if *p = (position{e.Seq, e.At}); !yield(e) {
				break
			}
		}
		if err := d.Err(); err != nil {
			return fmt.Errorf("%w: %w", errEntry, err)
		}
		return nil
	case kindEnded:
		var why sentence.Sentence
		if len(data) == 0 {
			return event.ErrLogFull
		}
		if json.Unmarshal(data, &why) != nil {
			return errEntry
		}
		return sentence.Error(why.Key, why.Args...)
	}
	return errEntry // of a later version
}
