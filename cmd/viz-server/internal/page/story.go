package page

// StoryName is the name of the picture of a lesson's whole run, where those of steps have an anchor.
const StoryName = "story"

// Story is the picture of a whole run, in a wide and a tall shape.
type Story struct {
	Wide, Tall [2]int   // width and height in CSS px
	Lines      []string // what happens, in words
}

// sizeOf returns the size of a shape.
func (s Story) sizeOf(shape Shape) (width, height string) {
	size := s.Wide
	if shape == Tall {
		size = s.Tall
	}
	return itoa(size[0]), itoa(size[1])
}

// storyOf is the picture of a lesson's whole run.
func storyOf(slug string) picture { return picture{slug: slug, anchor: StoryName} }
