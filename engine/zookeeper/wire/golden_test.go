package wire_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// stream is one recorded connection.
type stream struct {
	greeted, welcomed bool
	asked             []wire.Op
}

// TestGolden decodes recorded traffic of zkCli.sh, kazoo and go-zookeeper with ZooKeeper. Each frame must be the same
// when encoded again.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no files: ", err)
	}
	ops := map[wire.Op]bool{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		streams := map[string]*stream{}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			field := strings.Fields(lines.Text())
			if len(field) == 0 || field[0] == "#" {
				continue
			}
			s := streams[field[0]]
			if s == nil {
				s = &stream{}
				streams[field[0]] = s
			}
			frame, err := hex.DecodeString(strings.Join(field[2:], ""))
			if err != nil {
				t.Fatalf("%s:%d: %v", name, n, err)
			}
			record, err := s.read(field[1] == ">", frame)
			if err != nil {
				t.Errorf("%s:%d: %v", name, n, err)
			} else if got := record.Append(nil); !bytes.Equal(got, frame) {
				t.Errorf("%s:%d: read as %+v, which is\n%x, not\n%x", name, n, record, got, frame)
			}
			for _, op := range s.asked {
				ops[op] = true
			}
		}
	}
	if len(ops) < 20 {
		t.Errorf("only %d operations are recorded: %v", len(ops), ops)
	}
}

func (s *stream) read(fromClient bool, frame []byte) (wire.Record, error) {
	switch {
	case fromClient && !s.greeted:
		s.greeted = true
		r := &wire.ConnectRequest{}
		return r, wire.DecodeConnectRequest(frame, r)
	case fromClient:
		r := &wire.Request{}
		err := wire.DecodeRequest(frame, r)
		s.asked = append(s.asked, r.Op)
		return r, err
	case !s.welcomed:
		s.welcomed = true
		r := &wire.ConnectResponse{}
		return r, wire.DecodeConnectResponse(frame, r)
	case wire.IsNotification(frame):
		r := &wire.Notification{}
		return r, wire.DecodeNotification(frame, r)
	case len(s.asked) == 0:
		return nil, fmt.Errorf("an answer without a request")
	}
	r, op := &wire.Response{}, s.asked[0]
	s.asked = s.asked[1:]
	return r, wire.DecodeResponse(frame, op, r)
}
