package cluster

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/past/index"
)

const pastHoldsAt = pastAt + "/holders"

// handovers returns the handovers of the resource at a znode, or the progress of looking for them in per cent.
func (s *pastPages) handovers(ctx context.Context, path string) (h index.Handovers, share string, err error) {
	v, share, err := s.runJob(ctx, fmt.Sprint("hands ", path, s.index.Known()),
		func(ctx context.Context, tell index.Progress) (any, error) { return s.index.Handovers(ctx, path, tell) })
	h, _ = v.(index.Handovers)
	return h, share, err
}

// handoverRemarks says what isn't known about handovers at a path.
func handoverRemarks(h *index.Handovers, path string) (said []sentence.Sentence) {
	switch {
	case !h.Seen:
		said = append(said, sentence.Of("past.unseen"))
	case h.Unsure && h.Gap.After == 0:
		said = append(said, sentence.Of("past.unsure.before", sentence.Text(zxid(h.Gap.Before))))
	case h.Unsure:
		said = append(said, sentence.Of("past.unsure", sentence.Text(zxid(h.Gap.After)),
			sentence.Text(zxid(h.Gap.Before))))
	}
	if h.Path != path {
		said = append(said, sentence.Of("past.part", sentence.Text(path), sentence.Text(h.Path)))
	}
	if h.Left > 0 {
		said = append(said, sentence.Of("past.left", sentence.Number(h.Left)))
	}
	return said
}

// holders answers /past/holders?path=&from=&until=&since=&why=&who=&page= with who held a lock, as the page of its last
// hour does.
func (s *pastPages) holders(w http.ResponseWriter, r *http.Request) {
	if s.index == nil {
		s.site.NotFound(w, r)
		return
	}
	s.readNew(r.Context())
	var asked page.PastProps
	q, err := s.read(r, &asked)
	if err == nil && q.Below == "/" {
		err = sentence.Error("past.hands.of")
	}
	f, given, filterErr := readFilter(r, q.Until)
	if err == nil {
		err = filterErr
	}
	p := page.HoldersProps{Frame: s.site.Frame(r, "past"), Title: "holds.title", Path: asked.Path, Action: pastHoldsAt,
		Back: page.PastLink{Key: "past.title", Address: q.with(pastAt, "hands", "1")}, Filter: filterProps(f, given)}
	for _, name := range []string{"path", "from", "until"} {
		if text := q.values.Get(name); text != "" {
			p.Hidden = append(p.Hidden, page.HoldParam{Name: name, Value: text})
		}
	}
	if err == nil {
		number, _ := strconv.Atoi(q.values.Get("page"))
		err = s.fillHolders(r.Context(), &p, &q, &f, given, number)
	}
	code := http.StatusOK
	if err != nil {
		code, p.Error = http.StatusBadRequest, sentence.From(err)
	}
	if p.Looking != "" {
		w.Header().Set("Refresh", "1")
	}
	s.site.Render(w, r, code, page.Holders(p))
}

func (s *pastPages) fillHolders(ctx context.Context, p *page.HoldersProps, q *pastQuery, f *holds.Filter,
	given url.Values, number int) error {
	h, share, err := s.handovers(ctx, q.Below)
	if p.Looking = share; err != nil || share != "" {
		return err
	}
	p.Gone = handoverRemarks(&h, q.Below)
	if !h.Seen {
		p.None = sentence.Of("past.unseen")
		p.Gone = nil
		return nil
	}
	p.Kind = naming.Said(h.Use, h.Whose, false)
	of := holds.FromChanges(h.Changes, h.Holding, h.Use, q.Since, q.Until)
	if h.Left > 0 {
		of.FromMS = max(of.FromMS, h.Changes[0].TimeMS)
	}
	fillHolds(p, &of, f, number, holdPages{
		moment: func(one *holds.Hold) string { return q.moment(momentOf(one)) },
		page: func(n string) string {
			v := url.Values{"page": {n}}
			for _, h := range p.Hidden {
				v.Set(h.Name, h.Value)
			}
			return pastHoldsAt + "?" + withFilter(v, given).Encode()
		}})
	return nil
}
