package config

import (
	"reflect"
	"slices"
)

// keysAt lists the keys that a table of the configuration takes; nil where there is no such table.
func keysAt(t reflect.Type, path []string) []string {
	t = typeAt(t, path)
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var keys []string
	for i := range t.NumField() {
		keys = append(keys, t.Field(i).Tag.Get("toml"))
	}
	slices.Sort(keys)
	return keys
}

// typeAt is the type of a key's value, nil where the configuration has no such key.
func typeAt(t reflect.Type, path []string) reflect.Type {
	for _, key := range path {
		switch t.Kind() {
		case reflect.Map:
			t = t.Elem()
		case reflect.Struct:
			next := reflect.Type(nil)
			for i := range t.NumField() {
				if t.Field(i).Tag.Get("toml") == key {
					next = t.Field(i).Type
				}
			}
			if next == nil {
				return nil
			}
			t = next
		default:
			return nil
		}
	}
	return t
}
