// Package paint turns plain values into shapes: Painter adds panels, lines, labels and small signs to a display list.
// It also has the sizes that follow from a picture's size, and pieces that several parts of a picture plan. It
// decides nothing. Each part of a picture paints what it has planned with a Painter.
package paint
