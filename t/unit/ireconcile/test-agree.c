#include "agree/agree.h"

#include "base/array.h"
#include "json/jvtext.h"
#include "kube/proof.h"
#include "tap.h"
#include "value/digest.h"

/* JSON stands here with ' in place of ". */
static void
add_json(struct buf *b, const char *text)
{
	buf_adds(b, text);
	for (size_t i = 0; i < b->len; i++)
		if (b->data[i] == '\'')
			b->data[i] = '"';
}

static jv
parse(const char *text)
{
	struct err err = ERR_INIT;
	struct buf b = BUF_INIT;
	jv value;

	add_json(&b, text);
	value = jvtext_parse(buf_span(&b), &err);
	if (!jv_is_valid(value))
		printf("Bail out! %s: %s\n", err.message, text);
	buf_release(&b);
	return value;
}

/* differs: "" if they agree, else the path of the first difference. */
static const struct object_case {
	const char *what, *desired, *observed, *differs;
} object_cases[] = {
/* presence and equality */
#define CM "'apiVersion':'v1','kind':'ConfigMap'"
#define DE "'apiVersion':'apps/v1','kind':'Deployment'"
#define SV "'apiVersion':'v1','kind':'Service'"
#define SE "'apiVersion':'v1','kind':'Secret'"
#define SA "'apiVersion':'v1','kind':'ServiceAccount'"
#define CR "'apiVersion':'example.com/v1','kind':'Thing'"
#define POD(x) "{" DE ",'spec':{'template':{'spec':" x "}}}"
#define MAIN(x) POD("{'containers':[{'name':'main'," x "}]}")
    {"equal", "{" CM ",'data':{'a':'1'}}", "{" CM ",'data':{'a':'1'}}", ""},
    {"more observed", "{" CM ",'data':{'a':'1'}}",
	"{" CM ",'data':{'a':'1','b':'2'},'x':{}}", ""},
    {"other value", "{" CM ",'data':{'a':'1'}}", "{" CM ",'data':{'a':'2'}}",
	".data.a"},
    {"absent value", "{" CM ",'data':{'a':'1'}}", "{" CM "}", ".data"},
    {"absent member", "{" CM ",'data':{'a':'1'}}", "{" CM ",'data':{'b':'1'}}",
	".data.a"},
    {"odd key", "{" CM ",'data':{'a.b':'1'}}", "{" CM ",'data':{'a.b':'2'}}",
	".data['a.b']"},
    {"other kind of value", "{" CR ",'a':{'b':1}}", "{" CR ",'a':'b'}", ".a"},
    {"object against list", "{" CR ",'a':{'b':1}}", "{" CR ",'a':[1]}", ".a"},
    {"list against object", "{" CR ",'a':[1]}", "{" CR ",'a':{'b':1}}", ".a"},
    {"other apiVersion", "{" CR "}",
	"{'apiVersion':'example.com/v2','kind':'Thing'}", ".apiVersion"},
    {"order of keys", "{" CR ",'a':{'x':1,'y':2}}",
	"{'a':{'y':2,'x':1}," CR "}", ""},

    /* values that equal an absent field */
    {"null, absent", "{" CR ",'a':null}", "{" CR "}", ""},
    {"null says nothing", "{" CR ",'a':null}", "{" CR ",'a':3}", ""},
    {"empty text, absent", "{" CR ",'a':''}", "{" CR "}", ""},
    {"empty text, null", "{" CR ",'a':''}", "{" CR ",'a':null}", ""},
    {"empty text, text", "{" CR ",'a':''}", "{" CR ",'a':'x'}", ".a"},
    {"text, empty text", "{" CR ",'a':'x'}", "{" CR ",'a':''}", ".a"},
    {"empty list, absent", "{" CR ",'a':[]}", "{" CR "}", ""},
    {"empty list, list", "{" CR ",'a':[]}", "{" CR ",'a':[1]}", ".a"},
    {"list, empty list", "{" CR ",'a':[1]}", "{" CR ",'a':[]}", ".a"},
    {"empty list, empty text", "{" CR ",'a':[]}", "{" CR ",'a':''}", ""},
    {"empty object, absent", "{" CR ",'a':{}}", "{" CR "}", ".a"},
    {"empty object, null", "{" CR ",'a':{}}", "{" CR ",'a':null}", ".a"},
    {"empty object, object", "{" CR ",'a':{}}", "{" CR ",'a':{'b':1}}", ""},
    {"empty selector means something", "{" CR ",'podSelector':{}}", "{" CR "}",
	".podSelector"},
    {"empty emptyDir", POD("{'volumes':[{'name':'v','emptyDir':{}}]}"),
	POD("{'volumes':[{'name':'v','emptyDir':{}}]}"), ""},
    {"no emptyDir", POD("{'volumes':[{'name':'v','emptyDir':{}}]}"),
	POD("{'volumes':[{'name':'v'}]}"),
	".spec.template.spec.volumes[name=v].emptyDir"},
    {"empty labels, absent", "{" CM ",'metadata':{'labels':{}}}",
	"{" CM ",'metadata':{'name':'a'}}", ""},
    {"empty labels, labels", "{" CM ",'metadata':{'labels':{}}}",
	"{" CM ",'metadata':{'labels':{'a':'b'}}}", ""},
    {"empty annotations of a template",
	"{" DE ",'spec':{'template':{'metadata':{'annotations':{}}}}}",
	"{" DE ",'spec':{'template':{'metadata':{'name':'x'}}}}", ""},
    {"empty data, absent", "{" CM ",'data':{}}", "{" CM "}", ""},
    {"empty data of a custom resource", "{" CR ",'data':{}}", "{" CR "}",
	".data"},
    {"empty matchLabels", "{" DE ",'spec':{'selector':{'labels':{}}}}",
	"{" DE ",'spec':{'selector':{}}}", ".spec.selector.labels"},
    {"empty label value", "{" CM ",'metadata':{'labels':{'a':''}}}",
	"{" CM ",'metadata':{'labels':{'a':''}}}", ""},

    /* values */
    {"0 is a value", "{" CR ",'a':0}", "{" CR "}", ".a"},
    {"false is a value", "{" CR ",'a':false}", "{" CR "}", ".a"},
    {"0 and 0", "{" CR ",'a':0}", "{" CR ",'a':0}", ""},
    {"1 and 1.0", "{" CR ",'a':1}", "{" CR ",'a':1.0}", ""},
    {"true and false", "{" CR ",'a':true}", "{" CR ",'a':false}", ".a"},
    {"80 and '80'", "{" SV ",'spec':{'x':80}}", "{" SV ",'spec':{'x':'80'}}",
	".spec.x"},
    {"'80' and 80", "{" SV ",'spec':{'ports':[{'port':1,'targetPort':'80'}]}}",
	"{" SV ",'spec':{'ports':[{'port':1,'targetPort':80}]}}",
	".spec.ports[port=1,protocol=TCP].targetPort"},
    {"case matters", "{" CR ",'a':'A'}", "{" CR ",'a':'a'}", ".a"},
    {"text is not trimmed", "{" CR ",'a':'a\\n'}", "{" CR ",'a':'a'}", ".a"},

    /* plain lists */
    {"list by index", "{" CR ",'a':[1,2]}", "{" CR ",'a':[1,2]}", ""},
    {"other order", "{" CR ",'a':[1,2]}", "{" CR ",'a':[2,1]}", ".a[0]"},
    {"longer list", "{" CR ",'a':[1,2]}", "{" CR ",'a':[1,2,3]}", ".a"},
    {"shorter list", "{" CR ",'a':[1,2]}", "{" CR ",'a':[1]}", ".a"},
    {"default inside a list", "{" CR ",'a':[{'x':1}]}",
	"{" CR ",'a':[{'x':1,'y':2}]}", ""},
    {"difference inside a list", "{" CR ",'a':[0,{'x':1}]}",
	"{" CR ",'a':[0,{'x':2}]}", ".a[1].x"},
    {"args", MAIN("'args':['-a','-b']"), MAIN("'args':['-a','-b','-c']"),
	".spec.template.spec.containers[name=main].args"},
    {"containers of a custom resource are a plain list",
	"{" CR ",'containers':[{'name':'a'}]}",
	"{" CR ",'containers':[{'name':'b'},{'name':'a'}]}", ".containers"},
    {"NetworkPolicy ports are a plain list",
	"{'apiVersion':'networking.k8s.io/v1','kind':'NetworkPolicy',"
	"'spec':{'ingress':[{'ports':[{'port':1}]}]}}",
	"{'apiVersion':'networking.k8s.io/v1','kind':'NetworkPolicy',"
	"'spec':{'ingress':[{'ports':[{'port':1},{'port':2}]}]}}",
	".spec.ingress[0].ports"},

    /* keyed lists */
    {"an injected container",
	POD("{'containers':[{'name':'main','image':'a'}]}"),
	POD("{'containers':[{'name':'proxy'},{'name':'main','image':'a'}]}"),
	""},
    {"another image", MAIN("'image':'a'"), MAIN("'image':'b'"),
	".spec.template.spec.containers[name=main].image"},
    {"a container that is gone", MAIN("'image':'a'"),
	POD("{'containers':[{'name':'other','image':'a'}]}"),
	".spec.template.spec.containers[name=main]"},
    {"initContainers in another order",
	POD("{'initContainers':[{'name':'a'},{'name':'b'}]}"),
	POD("{'initContainers':[{'name':'b'},{'name':'a'}]}"), ""},
    {"env by name", MAIN("'env':[{'name':'A','value':'1'}]"),
	MAIN("'env':[{'name':'B','value':'2'},{'name':'A','value':'1'}]"), ""},
    {"env differs", MAIN("'env':[{'name':'A','value':'1'}]"),
	MAIN("'env':[{'name':'A','value':'2'}]"),
	".spec.template.spec.containers[name=main].env[name=A].value"},
    {"env twice, in order",
	MAIN("'env':[{'name':'A','value':'1'},{'name':'A','value':'2'}]"),
	MAIN("'env':[{'name':'A','value':'1'},{'name':'A','value':'2'}]"), ""},
    {"env twice, once observed",
	MAIN("'env':[{'name':'A','value':'1'},{'name':'A','value':'1'}]"),
	MAIN("'env':[{'name':'A','value':'1'}]"),
	".spec.template.spec.containers[name=main].env[name=A]"},
    {"empty env value, dropped by the server",
	MAIN("'env':[{'name':'A','value':''}]"), MAIN("'env':[{'name':'A'}]"),
	""},
    {"env without a name is compared by index", MAIN("'env':[{'value':'1'}]"),
	MAIN("'env':[{'value':'1'},{'value':'2'}]"),
	".spec.template.spec.containers[name=main].env"},
    {"empty env, env", MAIN("'env':[]"), MAIN("'env':[{'name':'A'}]"), ""},
    {"containerPort, protocol defaulted",
	MAIN("'ports':[{'containerPort':80}]"),
	MAIN("'ports':[{'containerPort':80,'protocol':'TCP'}]"), ""},
    {"containerPort, another protocol", MAIN("'ports':[{'containerPort':80}]"),
	MAIN("'ports':[{'containerPort':80,'protocol':'UDP'}]"),
	".spec.template.spec.containers[name=main].ports[containerPort=80,"
	"protocol=TCP]"},
    {"containerPort as text", MAIN("'ports':[{'containerPort':'80'}]"),
	MAIN("'ports':[{'containerPort':80,'protocol':'TCP'}]"),
	".spec.template.spec.containers[name=main].ports[containerPort=80,"
	"protocol=TCP].containerPort"},
    {"Service ports by port and protocol",
	"{" SV ",'spec':{'ports':[{'port':53,'protocol':'UDP'},{'port':53}]}}",
	"{" SV ",'spec':{'ports':[{'port':53,'protocol':'TCP',"
	"'nodePort':30000},{'port':53,'protocol':'UDP'}]}}",
	""},
    {"Service port that is gone", "{" SV ",'spec':{'ports':[{'port':53}]}}",
	"{" SV ",'spec':{'ports':[{'port':54}]}}",
	".spec.ports[port=53,protocol=TCP]"},
    {"volumes", POD("{'volumes':[{'name':'a'}]}"),
	POD("{'volumes':[{'name':'kube-api'},{'name':'a'}]}"), ""},
    {"volumeMounts by mountPath",
	MAIN("'volumeMounts':[{'name':'v','mountPath':'/a'}]"),
	MAIN("'volumeMounts':[{'name':'w','mountPath':'/b'},{'name':'v',"
	     "'mountPath':'/a'}]"),
	""},
    {"another volume mounted",
	MAIN("'volumeMounts':[{'name':'v','mountPath':'/a'}]"),
	MAIN("'volumeMounts':[{'name':'w','mountPath':'/a'}]"),
	".spec.template.spec.containers[name=main]"
	".volumeMounts[mountPath=/a].name"},
    {"volumeDevices by devicePath",
	MAIN("'volumeDevices':[{'name':'v','devicePath':'/a'}]"),
	MAIN("'volumeDevices':[{'name':'w','devicePath':'/b'},{'name':'v',"
	     "'devicePath':'/a'}]"),
	""},
    {"imagePullSecrets of a pod", POD("{'imagePullSecrets':[{'name':'a'}]}"),
	POD("{'imagePullSecrets':[{'name':'b'},{'name':'a'}]}"), ""},
    {"imagePullSecrets of a ServiceAccount are a plain list",
	"{" SA ",'imagePullSecrets':[{'name':'a'}]}",
	"{" SA ",'imagePullSecrets':[{'name':'a'},{'name':'b'}]}",
	".imagePullSecrets"},
    {"secrets of a ServiceAccount", "{" SA ",'secrets':[{'name':'a'}]}",
	"{" SA ",'secrets':[{'name':'x'},{'name':'a'}]}", ""},
    {"hostAliases by ip",
	POD("{'hostAliases':[{'ip':'1.1.1.1','hostnames':['a']}]}"),
	POD("{'hostAliases':[{'ip':'1.1.1.2','hostnames':['b']},"
	    "{'ip':'1.1.1.1','hostnames':['a']}]}"),
	""},
    {"topologySpreadConstraints by both keys",
	POD("{'topologySpreadConstraints':[{'topologyKey':'zone',"
	    "'whenUnsatisfiable':'ScheduleAnyway','maxSkew':1}]}"),
	POD("{'topologySpreadConstraints':[{'topologyKey':'zone',"
	    "'whenUnsatisfiable':'DoNotSchedule','maxSkew':2},"
	    "{'topologyKey':'zone','whenUnsatisfiable':'ScheduleAnyway',"
	    "'maxSkew':1}]}"),
	""},
    {"tolerations are a plain list", POD("{'tolerations':[{'key':'a'}]}"),
	POD("{'tolerations':[{'key':'a'},{'key':'b'}]}"),
	".spec.template.spec.tolerations"},
    {"accessModes are a plain list",
	"{'apiVersion':'v1','kind':'PersistentVolumeClaim',"
	"'spec':{'accessModes':['ReadWriteOnce']}}",
	"{'apiVersion':'v1','kind':'PersistentVolumeClaim',"
	"'spec':{'accessModes':['ReadWriteOnce','ReadOnlyMany']}}",
	".spec.accessModes"},
    {"ownerReferences by uid",
	"{" CM ",'metadata':{'ownerReferences':[{'uid':'1',"
	"'controller':true}]}}",
	"{" CM ",'metadata':{'ownerReferences':[{'uid':'2'},{'uid':'1',"
	"'controller':true}]}}",
	""},
    {"owner of a custom resource is gone",
	"{" CR ",'metadata':{'ownerReferences':[{'uid':'1'}]}}",
	"{" CR ",'metadata':{'ownerReferences':[{'uid':'2'}]}}",
	".metadata.ownerReferences[uid=1]"},
    {"finalizers are a set", "{" CM ",'metadata':{'finalizers':['b','a']}}",
	"{" CM ",'metadata':{'finalizers':['a','c','b']}}", ""},
    {"a finalizer is gone", "{" CM ",'metadata':{'finalizers':['a']}}",
	"{" CM ",'metadata':{'finalizers':['b']}}", ".metadata.finalizers[a]"},
    {"webhooks by name",
	"{'apiVersion':'admissionregistration.k8s.io/v1',"
	"'kind':'ValidatingWebhookConfiguration','webhooks':[{'name':'a'}]}",
	"{'apiVersion':'admissionregistration.k8s.io/v1',"
	"'kind':'ValidatingWebhookConfiguration','webhooks':[{'name':'b'},"
	"{'name':'a'}]}",
	""},

    /* quantities */
    {"0.5 and 500m", MAIN("'resources':{'limits':{'cpu':'0.5'}}"),
	MAIN("'resources':{'limits':{'cpu':'500m'}}"), ""},
    {"a number", MAIN("'resources':{'requests':{'cpu':2}}"),
	MAIN("'resources':{'requests':{'cpu':'2'}}"), ""},
    {"1024Mi and 1Gi", MAIN("'resources':{'limits':{'memory':'1024Mi'}}"),
	MAIN("'resources':{'limits':{'memory':'1Gi'}}"), ""},
    {"1G and 1Gi", MAIN("'resources':{'limits':{'memory':'1G'}}"),
	MAIN("'resources':{'limits':{'memory':'1Gi'}}"),
	".spec.template.spec.containers[name=main].resources.limits.memory"},
    {"claim", "{" DE ",'resources':{'requests':{'storage':'1e3'}}}",
	"{" DE ",'resources':{'requests':{'storage':'1k'}}}", ""},
    {"quantity of a custom resource",
	"{" CR ",'resources':{'limits':{'cpu':'1000m'}}}",
	"{" CR ",'resources':{'limits':{'cpu':'1'}}}", ""},
    {"sizeLimit",
	POD("{'volumes':[{'name':'v','emptyDir':{'sizeLimit':'1024Ki'}}]}"),
	POD("{'volumes':[{'name':'v','emptyDir':{'sizeLimit':'1Mi'}}]}"), ""},
    {"ResourceQuota",
	"{'apiVersion':'v1','kind':'ResourceQuota',"
	"'spec':{'hard':{'limits.cpu':'1.0'}}}",
	"{'apiVersion':'v1','kind':'ResourceQuota',"
	"'spec':{'hard':{'limits.cpu':'1'}}}",
	""},
    {"LimitRange",
	"{'apiVersion':'v1','kind':'LimitRange',"
	"'spec':{'limits':[{'max':{'cpu':'1000m'}}]}}",
	"{'apiVersion':'v1','kind':'LimitRange',"
	"'spec':{'limits':[{'max':{'cpu':'1'}}]}}",
	""},
    {"env values are not quantities",
	MAIN("'env':[{'name':'A','value':'1000m'}]"),
	MAIN("'env':[{'name':'A','value':'1'}]"),
	".spec.template.spec.containers[name=main].env[name=A].value"},
    {"data are not quantities", "{" CM ",'data':{'a':'1000m'}}",
	"{" CM ",'data':{'a':'1'}}", ".data.a"},
    {"labels are not quantities", "{" CM ",'metadata':{'labels':{'a':'1.0'}}}",
	"{" CM ",'metadata':{'labels':{'a':'1'}}}", ".metadata.labels.a"},

    /* Secrets */
    {"stringData is read as data", "{" SE ",'stringData':{'a':'xy'}}",
	"{" SE ",'data':{'a':'eHk='}}", ""},
    {"stringData differs", "{" SE ",'stringData':{'a':'xy'}}",
	"{" SE ",'data':{'a':'eHo='}}", ".stringData.a"},
    {"stringData absent", "{" SE ",'stringData':{'a':'xy'}}", "{" SE "}",
	".stringData.a"},
    {"stringData wins", "{" SE ",'data':{'a':'AAAA'},'stringData':{'a':'xy'}}",
	"{" SE ",'data':{'a':'eHk='}}", ""},
    {"data of a Secret", "{" SE ",'data':{'a':'eHk='}}",
	"{" SE ",'data':{'a':'eHo='}}", ".data.a"},

    /* the mark */
    {"paths mark",
	"{" CM ",'metadata':{'annotations':{'kpipe.dev/paths':'x'}}}",
	"{" CM ",'metadata':{'annotations':{'kpipe.dev/paths':'y'}}}",
	".metadata.annotations['kpipe.dev/paths']"},
};

static void
test_objects(void)
{
	for (size_t i = 0; i < COUNT(object_cases); i++) {
		const struct object_case *c = &object_cases[i];
		struct buf path = BUF_INIT, differs = BUF_INIT;
		jv desired = parse(c->desired);
		jv observed = parse(c->observed);
		bool same = agree_object(desired, observed, &path);

		add_json(&differs, c->differs);
		if (same != (differs.len == 0))
			ok(false, c->what);
		else
			is(buf_str(&path), buf_str(&differs), c->what);
		ok(agree_object(desired, observed, NULL) == same,
		    "the same without a path");
		ok(agree_object(desired, desired, NULL) ||
			strstr(c->what, "stringData") != NULL,
		    "desired agrees with itself");
		buf_release(&path);
		buf_release(&differs);
		jv_free(desired);
		jv_free(observed);
	}
}

static const struct {
	const char *what, *desired, *observed, *differs;
} status_cases[] = {
    {"equal", "{'a':1}", "{'a':1}", ""},
    {"empty and absent", "{'a':'','b':[],'c':null}", "null", ""},
    {"absent and empty", "{}", "{'a':'','b':[],'c':null}", ""},
    {"dropped field", "{'a':1}", "{'a':1,'b':2}", ".status.b"},
    {"new field", "{'a':1,'b':2}", "{'a':1}", ".status.b"},
    {"dropped inside", "{'a':{'x':1}}", "{'a':{'x':1,'y':2}}", ".status.a.y"},
    {"null and a value", "{'a':null}", "{'a':1}", ".status.a"},
    {"dropped object", "{}", "{'a':{}}", ".status.a"},
    {"conditions in another order",
	"{'conditions':[{'type':'A'},{'type':'B'}]}",
	"{'conditions':[{'type':'B'},{'type':'A'}]}", ""},
    {"dropped condition", "{'conditions':[{'type':'A'}]}",
	"{'conditions':[{'type':'B'},{'type':'A'}]}", ".status.conditions"},
    {"changed condition", "{'conditions':[{'type':'A','status':'True'}]}",
	"{'conditions':[{'type':'A','status':'False'}]}",
	".status.conditions[type=A].status"},
    {"empty list, list", "{'a':[]}", "{'a':[1]}", ".status.a"},
};

static void
test_statuses(void)
{
	for (size_t i = 0; i < COUNT(status_cases); i++) {
		struct buf path = BUF_INIT;
		jv desired = parse(status_cases[i].desired);
		jv observed = parse(status_cases[i].observed);
		bool same = agree_status_values(desired, observed, &path, NULL);

		if (same != (status_cases[i].differs[0] == '\0'))
			ok(false, status_cases[i].what);
		else
			is(buf_str(&path), status_cases[i].differs,
			    status_cases[i].what);
		ok(agree_status_values(observed, desired, NULL, NULL) == same,
		    "the same the other way round");
		buf_release(&path);
		jv_free(desired);
		jv_free(observed);
	}
}

static const struct {
	const char *what, *on_error, *observed;
	const char *error; /* the text that was found; NULL: they differ */
} error_cases[] = {
    {"any text", "{'e':'${error}'}", "{'e':'boom'}", "boom"},
    {"no text", "{'e':'a ${error}'}", "{'e':'a '}", ""},
    {"with text around", "{'e':'no: ${error}!'}", "{'e':'no: x!'}", "x"},
    {"other text before", "{'e':'no: ${error}'}", "{'e':'yes: x'}", NULL},
    {"other text behind", "{'e':'${error}!'}", "{'e':'x?'}", NULL},
    {"too short", "{'e':'aba${error}aba'}", "{'e':'aba'}", NULL},
    {"twice in a string", "{'e':'${error}, ${error}'}", "{'e':'x, x'}", ""},
    {"... and alone in another", "{'e':'${error}${error}','f':'${error}'}",
	"{'e':'xx','f':'x'}", "x"},
    {"in a condition", "{'conditions':[{'type':'A','message':'${error}'}]}",
	"{'conditions':[{'type':'A','message':'x'}]}", "x"},
    {"another field differs", "{'e':'${error}','p':'Failed'}",
	"{'e':'x','p':'Ready'}", NULL},
    {"one more field", "{'e':'${error}'}", "{'e':'x','p':1}", NULL},
    {"without a placeholder", "{'e':'a'}", "{'e':'b'}", NULL},
    {"the same without one", "{'e':'a'}", "{'e':'a'}", ""},
    {"no text at all", "{'e':'${error}'}", "{}", NULL},
};

static void
test_errors(void)
{
	for (size_t i = 0; i < COUNT(error_cases); i++) {
		jv on_error = parse(error_cases[i].on_error);
		jv observed = parse(error_cases[i].observed);
		const char *error = error_cases[i].error;
		struct buf found = BUF_INIT;

		ok(agree_template(on_error, observed, AGREE_ERROR, NULL) ==
			(error != NULL),
		    error_cases[i].what);
		ok(agree_template(on_error, observed, AGREE_ERROR, &found) ==
			(error != NULL),
		    "... and for the text");
		is(buf_str(&found), error != NULL ? error : "",
		    "... which is found");
		buf_release(&found);
		jv_free(on_error);
		jv_free(observed);
	}
}

static const struct {
	const char *a, *b;
	bool same;
} quantities[] = {
    {"'1'", "1", true},
    {"'1000m'", "'1'", true},
    {"'0.1'", "'100m'", true},
    {"'.5'", "'500m'", true},
    {"'5.'", "'5'", true},
    {"'+1'", "'1'", true},
    {"'-1'", "'1'", false},
    {"'-0'", "'0'", true},
    {"'0Gi'", "'0'", true},
    {"'1e3'", "'1k'", true},
    {"'1E3'", "'1000'", true},
    {"'1e+3'", "'1000'", true},
    {"'1E'", "'1e18'", true},
    {"'1e-3'", "'1m'", true},
    {"'1Ei'", "'1024Pi'", true},
    {"'1Ki'", "'1024'", true},
    {"'1.5Gi'", "'1536Mi'", true},
    {"'1n'", "'0.001u'", true},
    {"'1u'", "'1000n'", true},
    {"'100000000000000000000'", "'100E'", true},
    {"'1'", "'1.000000000000000000000000000000000000000000'", true},
    {"'1'", "'1.0000000000000000000000000000001'", false},
    {"0.5", "'500m'", true},
    {"''", "''", false},
    {"'1kk'", "'1kk'", false},
    {"'1K'", "'1k'", false},
    {"'1e'", "'1'", false},
    {"'abc'", "'abc'", false},
    {"'1.2.3'", "'1.2'", false},
    {"'-'", "'0'", true},
    {"'.'", "'0'", true},
    {"' 1'", "'1'", false},
    {"'1e99999999999'", "'1'", false},
    {"true", "'1'", false},
};

static void
test_quantities(void)
{
	for (size_t i = 0; i < COUNT(quantities); i++) {
		jv a = parse(quantities[i].a);
		jv b = parse(quantities[i].b);
		struct buf what = BUF_INIT;

		buf_addf(&what, "%s and %s", quantities[i].a, quantities[i].b);
		ok(agree_quantities(a, b) == quantities[i].same,
		    buf_str(&what));
		ok(agree_quantities(b, a) == quantities[i].same,
		    "the same the other way round");
		buf_release(&what);
		jv_free(a);
		jv_free(b);
	}
}

/* Do two desired objects set the same paths? */
static const struct {
	const char *what, *a, *b;
	bool same;
} digest_cases[] = {
    {"other values", "{" CM ",'data':{'a':'1'}}", "{" CM ",'data':{'a':'2'}}",
	true},
    {"order of keys", "{" CM ",'a':{'x':1,'y':2}}",
	"{'a':{'y':2,'x':1}," CM "}", true},
    {"one path more", "{" CM ",'data':{'a':'1'}}",
	"{" CM ",'data':{'a':'1','b':'1'}}", false},
    {"null has no path", "{" CM ",'a':null}", "{" CM "}", true},
    {"an empty map of labels has no path", "{" CM ",'metadata':{'labels':{}}}",
	"{" CM ",'metadata':{'labels':{}}}", true},
    {"an empty object has a path", "{" CR ",'a':{}}", "{" CR "}", false},
    {"the mark does not count",
	"{" CM ",'metadata':{'name':'a',"
	"'annotations':{'kpipe.dev/paths':'x'}}}",
	"{" CM ",'metadata':{'name':'a'}}", true},
    {"the version does not count",
	"{" CM ",'metadata':{'name':'a','resourceVersion':'1'}}",
	"{" CM ",'metadata':{'name':'a'}}", true},
    {"the version of a template counts",
	"{" CM ",'t':{'metadata':{'resourceVersion':'1'}}}",
	"{" CM ",'t':{'metadata':{}}}", false},
    {"a version elsewhere counts", "{" CM ",'resourceVersion':'1'}", "{" CM "}",
	false},
    {"the mark of a template counts",
	"{" CM ",'t':{'metadata':{'annotations':{'kpipe.dev/paths':'x'}}}}",
	"{" CM ",'t':{'metadata':{}}}", false},
    {"elements by key", MAIN("'image':'a'"),
	POD("{'containers':[{'name':'other','image':'a'}]}"), false},
    {"order of a keyed list",
	POD("{'initContainers':[{'name':'a'},{'name':'b'}]}"),
	POD("{'initContainers':[{'name':'b'},{'name':'a'}]}"), false},
    {"another length of a plain list", "{" CR ",'a':[1]}", "{" CR ",'a':[1,2]}",
	false},
    {"keys that look like paths", "{" CR ",'a':{'b.c':1}}",
	"{" CR ",'a':{'b':{'c':1}}}", false},
    {"keys with line ends", "{" CR ",'a\\nb':1}", "{" CR ",'a':1,'b':1}",
	false},
};

static void
test_digests(void)
{
	char x[AGREE_DIGEST_SIZE], y[AGREE_DIGEST_SIZE];
	jv a;

	for (size_t i = 0; i < COUNT(digest_cases); i++) {
		jv b = parse(digest_cases[i].b);

		a = parse(digest_cases[i].a);
		agree_path_digest(a, x);
		agree_path_digest(b, y);
		ok((strcmp(x, y) == 0) == digest_cases[i].same,
		    digest_cases[i].what);
		jv_free(a);
		jv_free(b);
	}
	a = agree_mark_paths(parse("{" CM ",'data':{'a':'1'}}"));
	agree_path_digest(a, x);
	is(jv_string_value(jvtext_peek(
	       jvtext_peek(jvtext_peek(a, "metadata"), "annotations"),
	       PROOF_PATHS)),
	    x, "the mark is the digest");
	/* printf '.apiVersion\n.data.a\n.kind\n' | sha256sum: must never
	 * change, or every object in every cluster is applied again. */
	is(x, "HJo8hVBzyIF9DTzYtmy1AA", "the digest is stable");
	jv_free(a);
}

static void
add_found(
    void *arg, struct span path, struct span observed, struct span desired)
{
	buf_addf(arg, "%.*s %.*s %.*s\n", SPAN_ARG(path), SPAN_ARG(observed),
	    SPAN_ARG(desired));
}

static void
all_are(const char *desired, const char *observed, const char *want,
    const char *what)
{
	struct buf found = BUF_INIT;
	const struct agree_each each = {add_found, &found, NULL};
	jv a = parse(desired), b = parse(observed);

	agree_differences(a, b, &each);
	is(buf_str(&found), want, what);
	jv_free(a);
	jv_free(b);
	buf_release(&found);
}

static void
test_all(void)
{
	all_are("{" CM ",'data':{'a':'1'}}", "{" CM ",'data':{'a':'1'}}", "",
	    "all: nothing differs");
	all_are("{" CR ",'b':{'y':2,'x':1},'a':[1,2]}",
	    "{" CR ",'b':{'x':3},'a':[1,3]}",
	    ".a[1] 3 2\n.b.x 3 1\n.b.y nothing 2\n",
	    "all: in the order of the keys, with both values");
	all_are("{" CR ",'a':[1],'b':1}", "{" CR ",'a':[1,2],'b':2}",
	    ".a  \n.b 2 1\n", "all: another length has no values");
	all_are(POD("{'containers':[{'name':'a','image':'i:1'},"
		    "{'name':'b'},{'name':'c','image':'i:2'}]}"),
	    POD("{'containers':[{'name':'c','image':'i:3'},"
		"{'name':'a','image':'i:1'}]}"),
	    ".spec.template.spec.containers[name=b]  \n"
	    ".spec.template.spec.containers[name=c].image \"i:3\" \"i:2\"\n",
	    "all: elements that are missing do not hide others");
	all_are("{" SE ",'stringData':{'a':'x','b':'y'}}",
	    "{" SE ",'data':{'a':'eg=='}}",
	    ".stringData.a  \n.stringData.b  \n",
	    "all: stringData without its values");
}

int
main(void)
{
	test_objects();
	test_all();
	test_statuses();
	test_errors();
	test_quantities();
	test_digests();
	return tap_done();
}
