// Package geom has the geometry of pictures: rectangles, curves, paths and grids, in CSS px. It knows nothing of what
// they are for. All packages of the scene use it.
package geom
