package znode

import (
	"crypto/sha1"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Authenticate returns the identity that a connection from addr gets for auth, which must be UTF-8, and whether the
// scheme is known. It accepts any secret, but not a missing one: the ACLs do the comparing.
func Authenticate(scheme string, auth []byte, addr string) (zoo.ID, bool) {
	switch scheme {
	case "digest":
		if auth == nil {
			return zoo.ID{}, false
		}
		return zoo.ID{Scheme: scheme, ID: digest(string(auth))}, true
	case "ip":
		return zoo.ID{Scheme: scheme, ID: addr}, true
	}
	return zoo.ID{}, false
}

// AddID adds an ID to a connection's IDs unless it is there. ZooKeeper keeps them in Java's ConcurrentHashMap, whose
// order shows in the answer to whoAmI and in the meaning of the scheme auth. AddID keeps the same order.
func AddID(ids []zoo.ID, id zoo.ID) []zoo.ID {
	if slices.Contains(ids, id) {
		return ids
	}
	places := uint32(16) // the table doubles once it is three quarters full
	for uint32(len(ids)) >= places/4*3 {
		places *= 2
	}
	i := slices.IndexFunc(ids, func(other zoo.ID) bool { return hash(other)%places > hash(id)%places })
	if i < 0 {
		i = len(ids)
	}
	ids = slices.Insert(ids, i, id)
	if uint32(len(ids)) == places/4*3 {
		return spread(ids, places)
	}
	return ids
}

// spread returns the order of ids after a table with this many bins doubles. A bin splits into two. Its last entries
// that stay together keep their order, and the earlier ones are put in front of them one by one.
func spread(ids []zoo.ID, places uint32) []zoo.ID {
	var low, high []zoo.ID
	for len(ids) > 0 {
		n := 1
		for n < len(ids) && hash(ids[n])%places == hash(ids[0])%places {
			n++
		}
		last := n - 1
		for last > 0 && hash(ids[last-1])&places == hash(ids[n-1])&places {
			last--
		}
		a, b := len(low), len(high)
		for i, id := range ids[:n] {
			half, start := &low, a
			if hash(id)&places != 0 {
				half, start = &high, b
			}
			if i >= last {
				start = len(*half)
			}
			*half = slices.Insert(*half, start, id)
		}
		ids = ids[n:]
	}
	return append(low, high...)
}

// hash returns the bin of an ID, modulo the number of bins.
func hash(id zoo.ID) uint32 {
	h := 37*(37*17+javaHash(id.Scheme)) + javaHash(id.ID)
	return h ^ h>>16
}

// javaHash returns Java's String.hashCode of text in package wire's encoding. There, a character beyond the basic
// plane is two surrogates of three bytes each, which Go doesn't decode.
func javaHash(s string) (h uint32) {
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 && len(s) >= 3 {
			r, n = rune(s[0]&0x0f)<<12|rune(s[1]&0x3f)<<6|rune(s[2]&0x3f), 3
		}
		h = 31*h + uint32(r)
		s = s[n:]
	}
	return h
}

// digest returns user:hash for a user:password.
func digest(secret string) string {
	user, _, _ := strings.Cut(secret, ":")
	sum := sha1.Sum([]byte(secret))
	return user + ":" + base64.StdEncoding.EncodeToString(sum[:])
}

// validDigest reports whether id has exactly one colon. ZooKeeper doesn't count those at the end.
func validDigest(id string) bool {
	return strings.Count(strings.TrimRight(id, ":"), ":") == 1
}

// maskDigest replaces everything after the first colon, up to the end of its line, by an x.
func maskDigest(id string) string {
	user, rest, found := strings.Cut(id, ":")
	if !found {
		return id
	}
	if end := strings.IndexAny(rest, "\n\r\u0085\u2028\u2029"); end >= 0 {
		return user + ":x" + maskDigest(rest[end:])
	}
	return user + ":x"
}

// inNet reports whether the address is in the network, which may be a single address.
func inNet(addr, net string) bool {
	want, bits, ok := parseNet(net)
	if !ok {
		return false
	}
	have, ok := parseIPv4(addr)
	return ok && have>>(32-bits) == want>>(32-bits)
}

// parseNet parses an address with or without /bits. ZooKeeper's ACLs support only IPv4.
func parseNet(net string) (addr uint64, bits int, ok bool) {
	host, mask, masked := strings.Cut(net, "/")
	if addr, ok = parseIPv4(host); !ok || !masked {
		return addr, 32, ok
	}
	bits, err := javaInt(mask)
	return addr, bits, err == nil && bits >= 0 && bits <= 32
}

// parseIPv4 accepts what ZooKeeper accepts: 010 is ten, and +1 is one.
func parseIPv4(s string) (uint64, bool) {
	if strings.Count(s, ".") != 3 {
		return 0, false
	}
	addr := uint64(0)
	for range 4 {
		var part string
		part, s, _ = strings.Cut(s, ".")
		b, err := javaInt(part)
		if err != nil || b < 0 || b > 255 {
			return 0, false
		}
		addr = addr<<8 | uint64(b)
	}
	return addr, true
}

// javaInt parses a number as Java does, in the digits of any script of the basic plane.
func javaInt(s string) (int, error) {
	if n, err := strconv.Atoi(s); err == nil {
		return n, nil // nearly always; this runs for each entry of an ACL
	}
	return strconv.Atoi(strings.Map(func(r rune) rune {
		for _, digits := range unicode.Nd.R16 { // each range is the digits 0 to 9
			if r >= rune(digits.Lo) && r <= rune(digits.Hi) {
				return '0' + (r-rune(digits.Lo))%10
			}
		}
		return r
	}, s))
}
