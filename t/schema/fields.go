// What only Go's types tell of the API: for each field of each struct its
// name in JSON, its Go type as encoding/json names it in an error, and how its
// zero value is written. t/schema/build runs it in t/cluster, whose go.mod names
// the versions.
//
// Output: TYPE NAME GOTYPE FLAGS INSIDE NUMBER, separated by tabs, in the order
// of the struct; each type has a first line with an empty NAME. Flags:
// p pointer, o omitempty, z omitzero, s struct by value, c a type that decodes
// itself. INSIDE: the structs that are embedded around it. NUMBER: of the
// field in protobuf, behind those of the structs that are embedded around it
// (2.1); empty where it has none.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

var decoder = reflect.TypeFor[json.Unmarshaler]()

// modelName is the name of a type in OpenAPI: the host of its package
// backwards, then the path.
func modelName(t reflect.Type) string {
	path := t.PkgPath()
	path = path[strings.LastIndex(path, "/vendor/")+1:]
	host, rest, _ := strings.Cut(path, "/")
	parts := strings.Split(host, ".")
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return strings.Join(parts, ".") + "." +
		strings.ReplaceAll(rest, "/", ".") + "." + t.Name()
}

type walker struct {
	seen map[reflect.Type]bool
	out  map[string][]string
}

func (w *walker) walk(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		w.walk(t.Elem())
	case reflect.Struct:
		if !w.seen[t] && t.Name() != "" {
			w.seen[t] = true
			name := modelName(t)
			w.out[name] = append(w.out[name], "\t\t\t\t")
			if !reflect.PointerTo(t).Implements(decoder) {
				w.fields(name, "", "", t)
			}
		}
	}
}

// number is the field's in protobuf: "bytes,2,opt,name=spec".
func number(f reflect.StructField) string {
	parts := strings.Split(f.Tag.Get("protobuf"), ",")
	if len(parts) < 2 {
		return ""
	}
	return parts[1]
}

func path(numbers string, f reflect.StructField) string {
	if number(f) == "" || strings.HasPrefix(numbers, ".") {
		return ""
	}
	return numbers + number(f)
}

func (w *walker) fields(name, inside, numbers string, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == "-" || !f.IsExported() {
			continue
		}
		if tag == "" && f.Anonymous {
			w.fields(name, strings.TrimPrefix(inside+"."+f.Name, "."),
				numbers+number(f)+".", f.Type)
			continue
		}
		if tag == "" {
			tag = f.Name
		}
		flags := ""
		of := f.Type
		if of.Kind() == reflect.Pointer {
			flags += "p"
			of = of.Elem()
		} else if of.Kind() == reflect.Struct {
			flags += "s"
		}
		for _, option := range strings.Split(options, ",") {
			switch option {
			case "omitempty":
				flags += "o"
			case "omitzero":
				flags += "z"
			case "":
			default:
				flags += "?" + option
			}
		}
		if reflect.PointerTo(of).Implements(decoder) {
			flags += "c"
		}
		w.out[name] = append(w.out[name],
			fmt.Sprintf("%s\t%s\t%s\t%s\t%s", tag, of, flags, inside,
				path(numbers, f)))
		w.walk(f.Type)
	}
}

func main() {
	w := walker{map[reflect.Type]bool{}, map[string][]string{}}
	apiextensions.AddToScheme(scheme.Scheme)
	apiregistration.AddToScheme(scheme.Scheme)
	meta.AddMetaToScheme(scheme.Scheme)
	for _, t := range scheme.Scheme.AllKnownTypes() {
		w.walk(t)
	}
	names := []string{}
	for name := range w.out {
		names = append(names, name)
	}
	sort.Strings(names)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, name := range names {
		for _, line := range w.out[name] {
			fmt.Fprintf(out, "%s\t%s\n", name, line)
		}
	}
}
