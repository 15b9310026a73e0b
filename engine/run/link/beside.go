package link

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Scenario returns the parameters of the run beside one with the parameters q: q with the differences. It is nil if
// there is none.
func (b Beside) Scenario(q url.Values) (url.Values, error) {
	if b.What == "" && b.Seed == "" {
		return nil, nil
	}
	other := maps.Clone(q)
	if strings.Contains(b.What, "=") {
		differs, err := url.ParseQuery(b.What)
		if err != nil {
			return nil, sentence.Wrap(err, "bad.link")
		}
		for name, values := range differs {
			if values = slices.DeleteFunc(values, func(v string) bool { return v == "" }); len(values) == 0 {
				other.Del(name)
			} else {
				other[name] = values
			}
		}
	} else if b.What != "" {
		other.Set("recipe", b.What)
	}
	if b.Seed != "" {
		other.Set("seed", b.Seed)
	}
	return other, nil
}

// Fresh returns the same without the event and its hash.
func (b Beside) Fresh() Beside {
	b.Seq, b.Sum = 0, ""
	return b
}
