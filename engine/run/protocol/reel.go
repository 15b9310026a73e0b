package protocol

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// Take is a run as a viewer got it: the request that opened it, and what came. A reel is a file of takes, from which a
// page plays runs without rooms.
type Take struct {
	Request []byte // in the form of AppendRequest
	Answers []Answer
}

// Answer is a message to a viewer, or a frame of events.
type Answer struct {
	Frame bool
	Body  []byte
}

// reelVersion is the first byte of a reel.
const reelVersion = 1

// The kinds of a reel's pieces. Each is followed by its length as a varint, and its bytes. A request begins a take.
const (
	requestPiece = 'r'
	messagePiece = 'm'
	framePiece   = 'f'
)

// AppendReel appends takes to dst in the form that ParseReel reads.
func AppendReel(dst []byte, takes []Take) []byte {
	dst = append(dst, reelVersion)
	for _, t := range takes {
		dst = appendPiece(dst, requestPiece, t.Request)
		for _, a := range t.Answers {
			kind := byte(messagePiece)
			if a.Frame {
				kind = framePiece
			}
			dst = appendPiece(dst, kind, a.Body)
		}
	}
	return dst
}

func appendPiece(dst []byte, kind byte, body []byte) []byte {
	return append(binary.AppendUvarint(append(dst, kind), uint64(len(body))), body...)
}

// ParseReel reads a reel. The takes share its memory.
func ParseReel(reel []byte) ([]Take, error) {
	if len(reel) == 0 || reel[0] != reelVersion {
		return nil, errors.New("read a reel: its version is not the one that this program reads")
	}
	var takes []Take
	for rest := reel[1:]; len(rest) > 0; {
		kind := rest[0]
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return nil, errors.New("read a reel: it ends within a piece")
		}
		body := rest[1+n:][:size]
		rest = rest[1+n+len(body):]
		switch {
		case kind == requestPiece:
			takes = append(takes, Take{Request: body})
		case len(takes) == 0 || kind != messagePiece && kind != framePiece:
			return nil, errors.New("read a reel: a piece is of no known kind")
		default:
			last := &takes[len(takes)-1]
			last.Answers = append(last.Answers, Answer{kind == framePiece, body})
		}
	}
	return takes, nil
}

// FindTake returns the take of the run that a request opens or continues; false if there is none.
func FindTake(takes []Take, r Request) (Take, bool) {
	request := AppendRequest(nil, r)
	for _, t := range takes {
		if bytes.Equal(t.Request, request) || r.Do == Resume && t.run() == r.Run {
			return t, true
		}
	}
	return Take{}, false
}

// run returns the name of the take's run, or "".
func (t Take) run() string {
	if len(t.Answers) == 0 {
		return ""
	}
	m, _ := ParseMessage(t.Answers[0].Body)
	if r, ok := m.(*Run); ok {
		return r.Run
	}
	return ""
}
