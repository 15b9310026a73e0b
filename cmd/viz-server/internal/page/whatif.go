package page

import "github.com/a-h/templ"

// kinds says which recipe stands for what is forked, by its kind.
func kinds(f Frame) templ.Attributes {
	all := templ.Attributes{}
	for kind, recipe := range f.Kinds {
		all["data-"+kind] = recipe
	}
	return all
}
