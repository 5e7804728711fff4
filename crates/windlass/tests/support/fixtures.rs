//! The applications of the papers, as sketches.

use windlass::application::{Application, GlobalState};

use super::sketch;

/// 004 Fig. 1 and 5.
pub const THINKING: &str = "
type gui needs host:containment backend:unaware
  state not-installed
  state installed
  state configured
  state working needs host backend fault configured
  state damaged
  op not-installed install installed needs host fault damaged
  op installed config configured needs host backend fault installed
  op configured config configured needs host backend fault installed
  op configured start working needs host backend fault configured
  op working stop configured needs host fault configured
  op installed uninstall not-installed needs host fault damaged
  op configured uninstall not-installed needs host fault damaged
type api needs host:containment data:aware has endpoint
  state unavailable
  state available
  state running needs host data offers endpoint fault available
  state damaged
  op unavailable install available needs host fault damaged
  op available uninstall unavailable needs host fault damaged
  op available start running needs host fault available
  op running config running needs host fault damaged
  op running stop available needs host fault available
type container has host
  state stopped
  state running offers host
  op stopped start running
  op running stop stopped
type database has db
  state stopped
  state running offers db
  op stopped start running
  op running stop stopped
node gui gui host=node.host backend=api.endpoint
node api api x2 host=maven.host data=mongo.db
node node container
node maven container x2
node mongo database
";

/// 004 Fig. 2.
pub const RUNNING: &str = "
g1 gui working in n1 backend=a1
a1 api running in m1 data=d1
a2 api running in m2 data=d1
n1 node running
m1 maven running
m2 maven running
d1 mongo running
";

/// 003 Fig. 2 and 4.
pub const WEB_SERVICES: &str = "
faults forbidden
type service needs runtime:containment
  state not-deployed
  state deployed needs runtime
  op not-deployed deploy deployed needs runtime
  op deployed undeploy not-deployed needs runtime
type server needs container:containment has web-app-runtime
  state unavailable
  state stopped
  state working needs container offers web-app-runtime
  op unavailable setup stopped needs container
  op stopped uninstall unavailable needs container
  op stopped run working needs container
  op working stop stopped
  op working configure working
type system needs container:containment has software-container
  state not-installed
  state available
  state running needs container offers software-container
  op not-installed install available needs container
  op available uninstall not-installed needs container
  op available start running needs container
  op running shutdown available needs container
type machine has container
  state down
  state up offers container
  op down start up
  op up stop down
node translator service runtime=apache.web-app-runtime
node convertor service runtime=apache.web-app-runtime
node apache server container=debian.software-container
node debian system container=vmware.container
node vmware machine
";

/// Handlers that lead in a cycle when `p1` of [`CYCLE_START`] goes down.
pub const CYCLE: &str = "
type p has cap
  state on offers cap
  state off
  op on down off
type q needs r:unaware t:unaware
  state a needs r fault b
  state b needs t fault a
node p p
node q q r=p.cap t=p.cap
";

/// A settled state of [`CYCLE`].
pub const CYCLE_START: &str = "
p1 p on
q1 q a r=p1
";

/// [`THINKING`] and [`RUNNING`].
pub fn thinking() -> (Application, GlobalState) {
    let application = sketch::application(THINKING);
    let running = sketch::state(&application, RUNNING);
    (application, running)
}
