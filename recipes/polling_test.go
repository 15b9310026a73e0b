package recipes

import (
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// Polling is redis-set-nx-px in which those who are refused poll like that.
func Polling(poll recipe.Poll) recipe.Recipe {
	r := setNXPXRecipe
	r.Main = func(w systems.World, p recipe.Params) error {
		p.Poll = poll
		return kit.UseLease(w, setNXPX{kit.NewRedisKey(w, p)}, p)
	}
	return r
}
