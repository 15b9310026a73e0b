package class

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"
)

// letters of a class's name: those that can be told apart when they are read aloud or copied from a projector, and that
// make no words.
const letters = "bcdfghjkmnpqrtvwxz2346789"

// NameLength is the length of a class's name: one of 25^6, 244 million. It needn't be secret.
const NameLength = 6

// NewName returns a name at random.
func NewName() string {
	var name strings.Builder
	for b := make([]byte, 1); name.Len() < NameLength; {
		_, _ = rand.Read(b)                                    // never fails
		if n := int(b[0]); n < 256/len(letters)*len(letters) { // else some letters would come more often
			name.WriteByte(letters[n%len(letters)])
		}
	}
	return name.String()
}

// IsName reports whether a class may be called that.
func IsName(s string) bool {
	return len(s) == NameLength && strings.Trim(s, letters) == ""
}

// NewSecret returns a secret of 160 bits at random.
func NewSecret() string {
	b := make([]byte, 20)
	_, _ = rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

// Hash is what a log has of a secret, or of a learner's key. Secrets are random and long, so it needs no salt.
type Hash string

// HashOf returns the hash of a secret in a class.
func HashOf(class, secret string) Hash {
	sum := sha256.Sum256([]byte(class + "\n" + secret))
	return Hash(base64.RawURLEncoding.EncodeToString(sum[:]))
}

// Is reports whether a secret has this hash, in a time that doesn't depend on either.
func (h Hash) Is(class, secret string) bool {
	return subtle.ConstantTimeCompare([]byte(h), []byte(HashOf(class, secret))) == 1
}
