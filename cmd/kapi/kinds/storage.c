/* The kinds of storage.k8s.io. */
#include "builtin/topics.h"
#include "kinds/kinds.h"
#include "reply/columns.h"

static const struct strategy rows[] = {
    {
	.plural = "csidrivers",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NEEDS_VERSION | TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.columns = COLUMNS_NONE,
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = csidriver_default,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "csinodes",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NEEDS_VERSION | TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.columns = "Name|Drivers:integer=#spec.drivers|Age",
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "csistoragecapacities",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NEEDS_VERSION,
	.generation = GENERATION_NONE,
	.columns = COLUMNS_NONE,
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "storageclasses",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.columns = "Name|Provisioner|ReclaimPolicy|VolumeBindingMode|"
		   "AllowVolumeExpansion|Age",
	.cells = cells_storageclass,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = storageclass_default,
	.prepare = strategy_no_preparation,
	.validate = storageclass_validate,
    },
    {
	.plural = "volumeattachments",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NEEDS_VERSION | TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.columns =
	    "Name|Attacher=spec.attacher|PV=spec.source.persistentVolumeName|"
	    "Node=spec.nodeName|Attached:boolean=status.attached|Age",
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_resets_metadata,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "volumeattributesclasses",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.columns = "Name|DriverName=driverName|Age",
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
};

const struct kind_group kinds_storage = {"storage.k8s.io", rows, COUNT(rows)};
