package recipes

import (
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/recipes/kit"
)

// Polling is redis-set-nx-px in which those who are refused poll like that.
func Polling(poll kit.Poll) Recipe {
	r := setNXPXRecipe
	r.Main = func(w systems.World, p kit.Params) error {
		return kit.UseLease(w, setNXPX{kit.NewRedisKey(w, p), poll}, p)
	}
	return r
}
