package sentence

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event"
)

// Voice says sentences to one kind of reader.
type Voice struct {
	// Say returns the sentence for a key in the reader's language, with its arguments.
	Say func(key string, args ...string) string
	// Client returns a client's name. If nil, client-1 and so on.
	Client func(event.Actor) string
	// Path returns a znode's name. If nil, the last part of its path.
	Path func(string) string
	// Request returns a request in words. If nil, as in "create /locks/a".
	Request func(op event.Op, path string) string
	// Text returns what somebody wrote, ready to be shown. If nil, unchanged.
	Text func(string) string
}

// Says returns the sentence in words, without a full stop, or "" for the zero Sentence.
func (v Voice) Says(s Sentence) string {
	if s.Key == "" {
		return ""
	}
	words := make([]string, len(s.Args))
	for i, a := range s.Args {
		words[i] = v.arg(a)
	}
	return v.Say(s.Key, words...)
}

// Alone returns a sentence that stands alone in words, with a capital letter and a full stop.
func (v Voice) Alone(s Sentence) string {
	text := v.Says(s)
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}

// String returns the key and the arguments for program logs, as in "broken.order(client-2, 3, 14.2 s)".
func (s Sentence) String() string {
	return Voice{Say: func(key string, args ...string) string {
		if key == "seconds" {
			return args[0] + " s"
		}
		return key + "(" + strings.Join(args, ", ") + ")"
	}}.Says(s)
}

func (v Voice) arg(a Arg) string {
	switch a.kind {
	case aClient:
		return v.client(a.client)
	case manyClients:
		var names []string
		for _, c := range a.clients {
			names = append(names, v.client(c))
		}
		return v.list(names, int(a.number))
	case aPath:
		return v.path(a.text)
	case manyPaths:
		var names []string
		for _, p := range a.paths {
			names = append(names, v.path(p))
		}
		return v.list(names, int(a.number))
	case manyTexts:
		var texts []string
		for _, t := range a.paths {
			texts = append(texts, v.text(t))
		}
		return v.list(texts, int(a.number))
	case aTime:
		return v.Say("seconds", seconds(time.Duration(a.number)))
	case aSpan:
		d := time.Duration(a.number)
		if d < time.Millisecond {
			return Spell(d.Round(time.Microsecond))
		}
		return Spell(d.Round(time.Millisecond))
	case aRequest:
		return v.request(a.op, a.text)
	case aNumber:
		return strconv.FormatInt(a.number, 10)
	case manySentences:
		return v.all(a.sentences)
	case aDuration:
		return time.Duration(a.number).String()
	case aQuote:
		return strconv.Quote(a.text)
	}
	return v.text(a.text)
}

func (v Voice) text(s string) string {
	if v.Text == nil {
		return s
	}
	return v.Text(s)
}

func (v Voice) request(op event.Op, path string) string {
	switch {
	case v.Request != nil:
		return v.Request(op, path)
	case path == "":
		return op.String()
	}
	return op.String() + " " + path
}

func (v Voice) client(a event.Actor) string {
	if v.Client == nil {
		return a.String()
	}
	return v.Client(a)
}

func (v Voice) path(path string) string {
	if v.Path == nil {
		return path[strings.LastIndexByte(path, '/')+1:]
	}
	return v.Path(path)
}

// list names the first few of n: "A", "A and B", "A, B, C and D", "A, B, C and 2 others".
func (v Voice) list(names []string, n int) string {
	if len(names) <= 1 {
		return strings.Join(names, "")
	}
	last := ""
	if n > MostNamed+1 {
		names = names[:min(MostNamed, len(names))]
	} else {
		last = names[len(names)-1]
		names = names[:len(names)-1]
	}
	head := names[0]
	for _, name := range names[1:] {
		head = v.Say("list.more", head, name)
	}
	if last == "" {
		return v.Say("list.others", head, strconv.Itoa(n-MostNamed))
	}
	return v.Say("list.last", head, last)
}

func (v Voice) all(list []Sentence) string {
	if len(list) == 0 {
		return ""
	}
	text := v.Says(list[0])
	for _, s := range list[1:] {
		text = v.Say("list.sentences", text, v.Says(s))
	}
	return text
}

// seconds formats t with one to three decimals: 14.2.
func seconds(t time.Duration) string {
	s := strconv.FormatFloat(float64(t.Round(time.Millisecond))/float64(time.Second), 'f', 3, 64)
	s = strings.TrimRight(s, "0")
	if strings.HasSuffix(s, ".") {
		s += "0"
	}
	return s
}
