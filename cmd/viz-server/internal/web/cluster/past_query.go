package cluster

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/past/index"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// pastQuery holds the parameters of /past.
type pastQuery struct {
	past.Filter
	values    url.Values
	handovers bool
	after     index.Cursor
	skip      int
}

// read reads the parameters. Missing ones mean everything.
func (s *pastPages) read(r *http.Request, p *page.PastProps) (q pastQuery, err error) {
	q.values, q.Filter = r.URL.Query(), past.Everything()
	get := func(name string) string { return strings.TrimSpace(q.values.Get(name)) }
	p.Path, p.Session = protocol.Clip(get("path")), protocol.Clip(get("session"))
	q.handovers, p.Hands = get("hands") != "", get("hands") != ""
	q.Since, q.Until = s.index.Span()
	if q.Until == 0 {
		q.Until = 1
	}
	if path := get("path"); path != "" {
		if err := protocol.ValidatePath(path); err != nil {
			return q, err
		}
		q.Below = path
	}
	if q.handovers && q.Below == "/" {
		return q, sentence.Error("past.hands.of")
	}
	if text := get("session"); text != "" {
		id, err := past.ParseSession(text)
		if err != nil {
			return q, sentence.Error("past.session.bad", sentence.Quote(protocol.Clip(text)))
		}
		q.Sessions = []int64{id}
	}
	for _, name := range q.values["kind"] {
		if kind, ok := past.ParseKind(name); ok {
			q.Kinds = append(q.Kinds, kind)
		}
	}
	if zxid, n, ok := strings.Cut(get("after"), "."); ok {
		q.after.Zxid, _ = strconv.ParseInt(zxid, 16, 64)
		q.after.N, _ = strconv.Atoi(n)
	}
	if n, err := strconv.Atoi(get("skip")); err == nil && n > 0 {
		q.skip = min(n, 2*index.MaxChanges)
	}
	for _, t := range []struct {
		name string
		ms   *int64
	}{{"from", &q.Since}, {"until", &q.Until}} {
		if text := get(t.name); text != "" {
			if *t.ms, err = parsePast(text); err != nil {
				return q, err
			}
		}
	}
	if q.Until <= q.Since {
		return q, sentence.Error("past.order")
	}
	return q, nil
}

// pastForms are the formats of times, besides milliseconds since 1970.
var pastForms = []string{"2006-01-02T15:04:05.999", "2006-01-02 15:04:05.999", "2006-01-02T15:04", "2006-01-02 15:04",
	"2006-01-02"}

// parsePast reads a time. Without a zone it is in the server's.
func parsePast(text string) (int64, error) {
	if ms, err := strconv.ParseUint(text, 10, 53); err == nil && len(text) > 4 {
		return int64(ms), nil
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t.UnixMilli(), nil
	}
	for _, form := range pastForms {
		if t, err := time.ParseInLocation(form, text, time.Local); err == nil && t.UnixMilli() >= 0 {
			return t.UnixMilli(), nil
		}
	}
	return 0, sentence.Error("past.time", sentence.Quote(protocol.Clip(text)))
}

// pastTime formats a time.
func pastTime(ms int64) string { return time.UnixMilli(ms).Format("2006-01-02 15:04:05.000") }

// with returns the address with changed parameters: names and values in turn. An empty value removes the name.
func (q pastQuery) with(at string, change ...string) string {
	v := url.Values{}
	for _, name := range []string{"path", "session", "from", "until", "hands"} {
		if text := q.values.Get(name); text != "" {
			v.Set(name, text)
		}
	}
	for _, k := range q.Kinds {
		v.Add("kind", k.String())
	}
	for i := 0; i+1 < len(change); i += 2 {
		if v.Set(change[i], change[i+1]); change[i+1] == "" {
			v.Del(change[i])
		}
	}
	if len(v) == 0 {
		return at
	}
	return at + "?" + v.Encode()
}

func (q pastQuery) between(from, until int64) string {
	return q.with(pastAt, "from", strconv.FormatInt(max(from, 0), 10), "until", strconv.FormatInt(until, 10))
}

// moment returns the address of a moment.
func (q pastQuery) moment(ms int64) string {
	v := url.Values{"path": {q.Below}, "at": {strconv.FormatInt(ms, 10)}}
	return pastAt + "/moment?" + v.Encode()
}

// aroundMS is how much a page of the past shows before and after a moment.
const aroundMS = 30_000

// around returns the address of what happened to a znode around a time in ms since 1970; "" if no file reaches there.
func (s *pastPages) around(path string, ms int64) string {
	if s.index == nil {
		return ""
	}
	if since, until := s.index.Span(); ms < since || ms >= until {
		return ""
	}
	return pastAt + "?" + url.Values{"path": {path}, "from": {strconv.FormatInt(max(ms-aroundMS, 0), 10)},
		"until": {strconv.FormatInt(ms+aroundMS, 10)}}.Encode()
}
