package follow

import (
	"slices"
	"sync"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// Limits of held stories: the oldest make room.
const (
	MaxHeld = 64     // stories
	mostIn  = 50_000 // znodes and facts in all of them; a longer story isn't held
)

// held keeps the stories that a page was promised. A slow reader's page asks for the file minutes later: by then
// nobody reads the locks any more, or the story has become shorter.
type held struct {
	mu      sync.Mutex
	stories []heldStory // oldest first
	size    int
}

// heldStory is a story as it was at one time.
type heldStory struct {
	path    string
	header  event.Header
	story   locks.Story
	untilMS int64
}

func (s *heldStory) size() int {
	n := len(s.story.Before)
	for _, step := range s.story.Steps {
		n += len(step.Facts)
	}
	return n
}

// log converts it to a log.
func (s *heldStory) log() event.Log { return logOf(s.header, &s.story, s.untilMS) }

// put adds a story, replacing those of the same path that don't reach back further.
func (h *held) put(s heldStory) {
	if s.size() > mostIn {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stories = slices.DeleteFunc(h.stories, func(old heldStory) bool {
		less := old.path == s.path && reaches(&s.story, old.story.Steps[0].TimeMS)
		if less {
			h.size -= old.size()
		}
		return less
	})
	h.stories, h.size = append(h.stories, s), h.size+s.size()
	for len(h.stories) > MaxHeld || h.size > mostIn {
		h.size -= h.stories[0].size()
		h.stories = slices.Delete(h.stories, 0, 1)
	}
}

// at returns the newest story of a path that reaches back to a time in ms since 1970.
func (h *held) at(path string, timeMS int64) (heldStory, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range slices.Backward(h.stories) {
		if s.path == path && reaches(&s.story, timeMS) {
			return s, true
		}
	}
	return heldStory{}, false
}
