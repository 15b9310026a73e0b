package access

import (
	"bufio"
	"crypto/sha1" // of ZooKeeper's digest scheme
	"encoding/base64"
	"io"
	"strings"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Identity is an identity that a client can authenticate as. It prints without its secret.
type Identity struct {
	Scheme string // such as digest
	secret []byte // the credentials, such as user:password
}

// String leaves the secret out.
func (i Identity) String() string { return i.Scheme + ":…" }

// GoString leaves the secret out.
func (i Identity) GoString() string { return i.String() }

// Holds reports whether an ACL's entry means the identity, as far as this program can tell.
func (i Identity) Holds(scheme, id string) bool {
	if scheme != i.Scheme {
		return false
	}
	if scheme != "digest" {
		return true // only the server interprets the secret
	}
	user, _, _ := strings.Cut(string(i.secret), ":")
	sum := sha1.Sum(i.secret)
	return id == user+":"+base64.StdEncoding.EncodeToString(sum[:])
}

func (i Identity) request() *wire.Request {
	return &wire.Request{Xid: wire.XidAuth, Op: wire.OpAuth, Scheme: i.Scheme, Auth: i.secret}
}

// Limits of a list of identities.
const (
	MaxIdentities = 16
	maxIdentity   = 4 << 10 // bytes
)

// ReadIdentities reads one identity a line as scheme:secret, such as digest:user:password. It skips empty lines and
// lines that begin with #. The error is a sentence that names the line's number and none of its content.
func ReadIdentities(r io.Reader) (all []Identity, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxIdentity)
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		i, err := identity(line, n)
		if err != nil {
			return nil, err
		}
		if all = append(all, i); len(all) > MaxIdentities {
			return nil, sentence.Error("bad.auth.many", sentence.Number(MaxIdentities))
		}
	}
	if lines.Err() != nil {
		return nil, sentence.Error("bad.auth.read", sentence.Number(n+1))
	}
	return all, nil
}

func identity(line string, n int) (Identity, error) {
	scheme, secret, ok := strings.Cut(line, ":")
	user, password, _ := strings.Cut(secret, ":")
	switch {
	case scheme == "sasl" || scheme == "kerberos":
		return Identity{}, sentence.Error("bad.auth.sasl", sentence.Number(n))
	case !ok || scheme == "" || secret == "" || strings.ContainsAny(scheme, " \t"),
		scheme == "digest" && (user == "" || password == ""):
		return Identity{}, sentence.Error("bad.auth.line", sentence.Number(n))
	}
	return Identity{Scheme: scheme, secret: []byte(secret)}, nil
}
