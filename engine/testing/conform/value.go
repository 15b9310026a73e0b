package conform

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// maxFill limits the data that a script can write as a fill, such as x*1000.
const maxFill = 1 << 21

// bare reports whether a text needs no quotes.
func bare(s string) bool {
	if s == "" {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case strings.IndexByte("/:._-+=@", c) >= 0:
		default:
			return false
		}
	}
	return true
}

func quote(s string) string {
	if bare(s) {
		return s
	}
	return strconv.Quote(s)
}

func unquote(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return s, nil
	}
	text, err := strconv.Unquote(s)
	if err != nil {
		return "", fmt.Errorf("%s is not a quoted text", s)
	}
	return text, nil
}

// words splits a line at spaces outside of quotes.
func words(line string) ([]string, error) {
	var all []string
	for {
		line = strings.TrimLeft(line, " \t")
		if line == "" {
			return all, nil
		}
		n, err := until(line, " \t")
		if err != nil {
			return nil, err
		}
		all, line = append(all, line[:n]), line[n:]
	}
}

// until returns the index of the first separator outside of quotes, or the length of s.
func until(s, separators string) (int, error) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case !quoted && strings.IndexByte(separators, s[i]) >= 0:
			return i, nil
		}
	}
	if quoted {
		return 0, fmt.Errorf("a quotation mark is missing in %s", s)
	}
	return len(s), nil
}

func parseList(s string) ([]string, error) {
	var all []string
	for {
		n, err := until(s, ",")
		if err != nil {
			return nil, err
		}
		text, err := unquote(s[:n])
		if err != nil {
			return nil, err
		}
		all = append(all, text)
		if n == len(s) {
			return all, nil
		}
		s = s[n+1:]
	}
}

func printList(list []string) string {
	all := make([]string, len(list))
	for i, s := range list {
		all[i] = quote(s)
	}
	return strings.Join(all, ",")
}

// parseData parses data: null, quoted, or a fill: one byte and how often it repeats.

func parseData(s string) ([]byte, error) {
	if s == "null" {
		return nil, nil
	}
	if len(s) > 2 && s[1] == '*' {
		n, err := strconv.Atoi(s[2:])
		if err != nil || n < 0 || n > maxFill {
			return nil, fmt.Errorf("%s is not a fill of at most %d bytes", s, maxFill)
		}
		return bytes.Repeat([]byte(s[:1]), n), nil
	}
	text, err := unquote(s)
	return []byte(text), err
}

func printData(b []byte) string {
	switch {
	case b == nil:
		return "null"
	case len(b) > 32 && bare(string(b[:1])) && bytes.Count(b, b[:1]) == len(b):
		return fmt.Sprintf("%c*%d", b[0], len(b))
	}
	return strconv.Quote(string(b))
}

// The text of an ACL is a list of scheme:id:permissions, or "none". Permissions are letters as in zkCli.sh, or # and a
// number.

const permLetters = "rwcda"

func parseACL(s string) ([]zoo.ACL, error) {
	if s == "none" {
		return nil, nil
	}
	list, err := parseList(s)
	if err != nil {
		return nil, err
	}
	all := make([]zoo.ACL, len(list))
	for i, entry := range list {
		first, last := strings.IndexByte(entry, ':'), strings.LastIndexByte(entry, ':')
		if first < 0 || first == last {
			return nil, fmt.Errorf("%q is not scheme:id:permissions", entry)
		}
		perms, err := parsePerms(entry[last+1:])
		if err != nil {
			return nil, err
		}
		all[i] = zoo.ACL{Perms: perms, Scheme: entry[:first], ID: entry[first+1 : last]}
	}
	return all, nil
}

func parsePerms(s string) (int32, error) {
	if digits, ok := strings.CutPrefix(s, "#"); ok {
		n, err := strconv.ParseInt(digits, 10, 32)
		return int32(n), err
	}
	var perms int32
	for _, c := range s {
		i := strings.IndexRune(permLetters, c)
		if i < 0 {
			return 0, fmt.Errorf("%q are not permissions: write letters of %s, or # and a number", s, permLetters)
		}
		perms |= 1 << i
	}
	return perms, nil
}

func printACL(list []zoo.ACL) string {
	if len(list) == 0 {
		return "none"
	}
	all := make([]string, len(list))
	for i, a := range list {
		// An entry whose scheme has a colon would be parsed back as another. That can matter only for what servers
		// reply.
		all[i] = a.Scheme + ":" + a.ID + ":" + printPerms(a.Perms)
	}
	return printList(all)
}

func printPerms(perms int32) string {
	if perms < 0 || perms > zoo.PermAll {
		return "#" + strconv.Itoa(int(perms))
	}
	var b strings.Builder
	for i, c := range permLetters {
		if perms&(1<<i) != 0 {
			b.WriteRune(c)
		}
	}
	return b.String()
}
