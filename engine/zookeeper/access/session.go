package access

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// session is a connection between a client and a server. It authenticates the client's identities, and converts
// paths for the chroot. One goroutine may read while another one writes.
type session struct {
	net.Conn
	by     Dialer
	chroot chroot
	asked  asked

	frames  *wire.FrameReader
	greeted bool
	rest    []byte // the unread rest of the current frame
	out     []byte // the buffer of the current frame

	writing sync.Mutex
	begun   bool   // the client has sent its handshake
	part    []byte // the start of a frame that the client is writing
}

func newSession(conn net.Conn, d Dialer) *session {
	return &session{Conn: conn, by: d, chroot: chroot(d.Chroot), frames: wire.NewFrameReader(conn, wire.MaxAnswer)}
}

// maxGreeting bounds the answer to a handshake in bytes. A real one is a hundredth of that.
const maxGreeting = 4 << 10

// Read gives the client what the server sends.
func (s *session) Read(b []byte) (int, error) {
	for len(s.rest) == 0 {
		if err := s.next(); err != nil {
			return 0, s.by.explained(err)
		}
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// next reads a frame and sets rest to what the client may see of it.
func (s *session) next() error {
	if !s.greeted {
		return s.greet()
	}
	frame, err := s.frames.Next()
	if err != nil {
		return err
	}
	if len(frame) >= replyHead && codeOf(frame) == zoo.ErrSessionClosedRequireSASLAuth {
		return sentence.Error("away.enforced", s.by.Names.of("auth-file"))
	}
	if s.chroot == "" {
		s.pass(raw(frame))
		return nil
	}
	record, err := s.chroot.reply(frame, &s.asked)
	if err != nil {
		return err
	}
	s.pass(record)
	return nil
}

// pass makes a record readable by the client.
func (s *session) pass(r wire.Record) {
	if cap(s.out) > keptBuffer {
		s.out = nil
	}
	s.out = wire.AppendFrame(s.out[:0], r)
	s.rest = s.out
}

// keptBuffer is how many bytes of a long frame's buffer are kept for the next.
const keptBuffer = 64 << 10

// raw is a payload in its encoded form.
type raw []byte

// Append implements wire.Record.
func (r raw) Append(dst []byte) []byte { return append(dst, r...) }

// greet reads the answer to the handshake. If there is a session, it authenticates the identities before the client
// learns of it.
func (s *session) greet() error {
	head, err := s.frames.Peek(4)
	if err != nil {
		return err
	}
	if n := binary.BigEndian.Uint32(head); n > maxGreeting {
		return s.by.stranger(head)
	}
	frame, err := s.frames.Next()
	if err != nil {
		return err
	}
	var welcome wire.ConnectResponse
	if err := wire.DecodeConnectResponse(frame, &welcome); err != nil {
		return s.by.stranger(frame)
	}
	s.greeted = true
	s.pass(raw(frame))
	if welcome.Session == 0 {
		return nil
	}
	return s.prove()
}

// prove authenticates every identity.
func (s *session) prove() error {
	if len(s.by.Auth) == 0 {
		return nil
	}
	var out []byte
	for _, i := range s.by.Auth {
		out = wire.AppendFrame(out, i.request())
	}
	if _, err := s.Conn.Write(out); err != nil {
		return err
	}
	for _, i := range s.by.Auth {
		frame, err := s.frames.Next()
		if err == nil && (len(frame) < replyHead || codeOf(frame) != zoo.OK) {
			err = io.EOF
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return sentence.Error("away.auth", sentence.Text(i.Scheme), s.by.Names.of("auth-file"))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// replyHead is the length in bytes of a reply's start: xid, zxid and code.
const replyHead = 16

func codeOf(frame []byte) zoo.Code { return zoo.Code(int32(binary.BigEndian.Uint32(frame[12:]))) }

// Write sends what the client writes. With a chroot it collects a frame until it is complete.
func (s *session) Write(b []byte) (int, error) {
	if s.chroot == "" {
		return s.Conn.Write(b)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	s.part = append(s.part, b...)
	var out []byte
	for len(s.part) >= 4 {
		n := int(int32(binary.BigEndian.Uint32(s.part)))
		if n < 0 || n > wire.MaxAnswer {
			return 0, wire.ErrFrame
		}
		if len(s.part) < 4+n {
			break
		}
		record, err := s.departs(s.part[4 : 4+n])
		if err != nil {
			return 0, err
		}
		out = wire.AppendFrame(out, record)
		s.part = s.part[4+n:]
	}
	if len(s.part) == 0 {
		s.part = nil
	}
	if len(out) > 0 {
		if _, err := s.Conn.Write(out); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// departs converts a client's frame for the server. The first one is the handshake.
func (s *session) departs(frame []byte) (wire.Record, error) {
	if !s.begun {
		s.begun = true
		return raw(frame), nil
	}
	return s.chroot.request(frame, &s.asked)
}
