"""English nouns that tell whether a phrase names a thing: devices, systems, goods, documents; and nouns of events and qualities."""

THINGS = frozenset(
    "printer sensor router switch pump motor camera scanner valve compressor gearbox conveyor turbine generator battery charger "
    "transformer relay breaker thermostat boiler furnace oven kiln fridge freezer cooler chiller fan filter heater radiator exchanger "
    "robot arm crane lift elevator forklift truck van tractor drone vehicle trailer ship ferry wagon "
    "phone tablet laptop desktop monitor display screen keyboard mouse headset speaker microphone projector kiosk terminal turnstile "
    "gate lock badge reader antenna modem gateway firewall hub repeater beacon tracker meter gauge probe detector alarm "
    "controller actuator drive spindle bearing axle wheel belt chain blade nozzle hose pipe tank vessel reactor mixer press mill lathe "
    "welder cutter grinder lamp bulb lantern panel inverter array rack cabinet chassis board chip card module dongle cable adapter "
    "bracket hinge screw bolt casing sink enclosure frame shaft piston rotor stator cartridge toner "
    "server database cluster service queue broker cache proxy scheduler daemon registry backend frontend warehouse exporter importer "
    "indexer crawler datastore bucket endpoint firmware bootloader kernel driver parser compiler interpreter linter formatter renderer "
    "app application worker pipeline dashboard platform engine portal sdk plugin library framework bot system subsystem component agent "
    "tool editor website site console cli api model script widget wizard extension toolkit installer launcher viewer player "
    "planner resolver validator checker aggregator collector dispatcher notifier handler listener watcher poller loader builder "
    "archive vault ledger feed stream index catalogue catalog repository registry store storage sandbox environment mailbox inbox "
    "calendar wiki forum helpdesk intranet helpline "
    "microscope telescope centrifuge incubator spectrometer autoclave ventilator defibrillator stretcher "
    "greenhouse silo harvester sprinkler tractor plough hive shed barn "
    "dishwasher grill fryer blender espresso till register scale shelf trolley pallet "
    "connector oracle counter clock timer balancer crawler signer "
    "template form workbook".split()
)
"""Heads of names of things, wherever they stand."""
PARTS = frozenset(
    "report spreadsheet newsletter database table list loop line team squad group department crew office plant factory mill "
    "workshop lab laboratory clinic ward depot hangar studio branch desk chamber zone cell unit storage log "
    "connector link bus stack suite kit set program programme project product brand batch account channel topic".split()
)
"""Heads of names of documents, groups and places: with a noun before them."""
EVENTS = frozenset(
    "run rollout release deployment deploy migration restart upgrade update review meeting training testing inspection change switch "
    "move launch sprint login logon signup checkout delivery order request call charge conversion session traffic load usage use time "
    "week month day year weekend morning night evening hour minute second work data datum space memory pressure humidity temperature "
    "level rate latency capacity size number count name status state mode step way kind part side end top text reason cause problem "
    "thing stuff everything something anything nothing question answer idea plan decision agreement contract certificate key password "
    "policy rule law permission access approval license licence budget price cost fee salary payment refund revenue tax "
    "people person man woman everyone music weather coffee tea lunch dinner breakfast food sleep exercise "
    "mail email message photo picture video file image document page section chapter paragraph sentence word line code tab space "
    "approach method style design pattern practice habit language attention care help support advice feedback "
    "night holiday vacation trip travel visit shift break rest silence noise light darkness water power electricity heat air oil gas "
    "production staging development desk floor room house home place area region city town country street "
    "test check build backup export import sync scan job task process procedure "
    "pod worker node host machine instance replica copy version".split()
)
"""Nouns of events, qualities and generalities: they name nothing, whatever the relation."""
